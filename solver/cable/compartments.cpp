#include "solver/cable/compartments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "models/region_index.hpp"
#include "solver/cable/centre_lines.hpp"
#include "solver/cable/cut_piece.hpp"
#include "solver/cable/extracellular.hpp"
#include "solver/cable/frusta.hpp"

namespace hillock::solver {

namespace {

constexpr int most_compartments = 32767;  // of one branch, as in NEURON

bool have_same_points(const models::Branch& a, const models::Branch& b) {
  return std::ranges::equal(a.points, b.points, [](const models::Point& p, const models::Point& q) {
    return p.x_um == q.x_um && p.y_um == q.y_um && p.z_um == q.z_um &&
           p.diameter_um == q.diameter_um;
  });
}

/// The settings of the regions that a branch is in, as far as names tell.
using SettingsHere = std::vector<const models::RegionSettings*>;
using Setting = std::optional<models::Value> models::RegionSettings::*;

/// What the last region that holds a location says of one setting, or the default.
double setting_at(const CutFor& of, const SettingsHere& here, const CutPiece& piece,
                  Setting setting, double fallback) {
  const bool may_be_zero = setting == &models::RegionSettings::cm_uF_per_cm2;
  double value = fallback;
  for (const models::RegionSettings* settings : here) {
    const auto& given = settings->*setting;
    if (!given || !in_range(settings->region, piece.location.distance_um)) continue;
    value = value_for(of, *given, piece);
    if (!((value > 0 || (value == 0 && may_be_zero)) && std::isfinite(value)))
      reject(given->place(),
             fmt::format("the value at {}({:.6g}) is {:.6g} (it must be {})", piece.branch,
                         piece.location.position, value, may_be_zero ? "at least 0" : "positive"));
  }
  return value;
}

/// Whether a setting is one number in all of a branch.
bool is_one(const SettingsHere& here, Setting setting) {
  return std::ranges::none_of(here, [&](const models::RegionSettings* settings) {
    const auto& given = settings->*setting;
    return given && (settings->region.distance_um || given->varies_along_cell());
  });
}

int compartments_of(const CentreLines& lines, std::size_t b, const models::Branch& branch,
                    double Ra, double cm, const models::Discretization& rule, const Place& place) {
  if (branch.compartments > 0) return branch.compartments;
  const double length = lines.lengths_um[b];
  double wanted = 1;
  switch (rule.kind) {
    case models::Discretization::Kind::per_branch:
      wanted = rule.per_branch;
      break;
    case models::Discretization::Kind::max_length:
      // A length that is a multiple up to round-off takes no extra piece.
      wanted = std::max(1.0, std::ceil(length / rule.max_length_um * (1 - 1e-12)));
      break;
    case models::Discretization::Kind::odd_pieces:
      wanted = 1 + 2 * std::floor(length / rule.max_length_um);
      break;
    case models::Discretization::Kind::d_lambda: {
      const double lambdas = lines.electrotonic_length(b, Ra, cm);
      wanted = 2 * std::floor((lambdas / rule.d_lambda + 0.9) / 2) + 1;
      break;
    }
  }
  if (!(wanted <= most_compartments))
    reject(place, fmt::format("branch {} would take {:.6g} compartments (at most {}); "
                              "check its length, Ra and the discretization",
                              branch.name, wanted, most_compartments));
  return static_cast<int>(wanted);
}

}  // namespace

std::size_t Template::compartment_count() const {
  std::size_t count = 0;
  for (const DiscreteBranch& branch : branches)
    count += static_cast<std::size_t>(branch.compartments);
  return count;
}

std::size_t Template::branch_of(NodeId node) const {
  const auto after =
      std::ranges::upper_bound(branches, node.value, {}, &DiscreteBranch::first_node);
  return after == branches.begin() ? 0 : static_cast<std::size_t>(after - branches.begin()) - 1;
}

models::PieceOfBranch Template::piece_at(NodeId node) const {
  const std::size_t b = branch_of(node);
  const DiscreteBranch& branch = branches[b];
  return {b, std::clamp(node.value - branch.first_node, 0, branch.compartments - 1),
          branch.compartments};
}

std::string Template::describe(NodeId node) const {
  return fmt::format("{}({:.6g})", name_of(branch_of(node)).name,
                     location(static_cast<std::size_t>(node.value)).position);
}

std::size_t Template::own_bytes() const {
  std::size_t bytes = sizeof(Template) + bytes_of(branches) + bytes_of(parent) + bytes_of(like);
  if (extracellular) bytes += extracellular->bytes();
  if (!like.empty()) return bytes;
  return bytes + bytes_of(columns->coupling_uS) + bytes_of(columns->area_um2) +
         bytes_of(columns->diameter_um) + bytes_of(columns->capacitance_nF) +
         bytes_of(columns->locations);
}

bool selects_branch(const models::Region& region, const BranchName& branch) {
  return region.has_branch(branch.region, branch.name);
}

NodeId node_at(const Template& cell, int branch, double position) {
  const DiscreteBranch& b = cell.branches[static_cast<std::size_t>(branch)];
  if (position <= 0) return NodeId(b.start_node);
  if (position >= 1) return NodeId(b.end_node);
  const int piece = static_cast<int>(position * b.compartments);
  return NodeId(b.first_node + std::min(piece, b.compartments - 1));
}

namespace {

class Discretisation {
 public:
  Discretisation(const models::Morphology& morphology, const models::CableCell& cell,
                 const CutFor& of)
      : morphology_(morphology),
        cell_(cell),
        of_(of),
        regions_(cell.regions),
        lines_(morphology),
        entries_(models::path_entries(morphology, lines_.lengths_um)) {
    names_.reserve(morphology.branches.size());
    for (const models::Branch& branch : morphology.branches)
      names_.push_back({branch.name, branch.region});
  }

  Template take() {
    make_room();
    for (std::size_t b = 0; b < morphology_.branches.size(); ++b) add_branch(b);
    result_.names = std::make_shared<const std::vector<BranchName>>(std::move(names_));
    result_.columns = std::make_shared<const NodeColumns>(std::move(columns_));
    return std::move(result_);
  }

  std::vector<int> counts() {
    std::vector<int> counts;
    counts.reserve(morphology_.branches.size());
    for (std::size_t b = 0; b < morphology_.branches.size(); ++b) {
      find_settings(b);
      counts.push_back(cut(b, location_on(b, 0.5, true)).compartments);
    }
    return counts;
  }

 private:
  void make_room() {
    const models::Morphology& morphology = morphology_;
    std::size_t nodes = 1;
    for (const models::Branch& branch : morphology.branches)
      nodes += static_cast<std::size_t>(std::max(branch.compartments, 1)) + 1;
    result_.branches.reserve(morphology.branches.size());
    result_.parent.reserve(nodes);
    columns_.coupling_uS.reserve(nodes);
    columns_.area_um2.reserve(nodes);
    columns_.diameter_um.reserve(nodes);
    columns_.capacitance_nF.reserve(nodes);
    columns_.locations.reserve(nodes);
  }

  void find_settings(std::size_t b) {
    regions_.find(names_[b].region, names_[b].name, found_);
    here_.clear();
    for (const std::size_t i : found_) here_.push_back(&cell_.regions[i]);
  }

  struct Properties {
    double Ra_ohm_cm = 0, cm_uF_per_cm2 = 0;
    bool operator==(const Properties&) const = default;
  };
  struct Cut {
    Properties middle_has;
    int compartments = 1;
  };

  /// Into how many compartments a branch is cut, by what its middle has.
  Cut cut(std::size_t b, const NodeLocation& middle) const {
    const models::Branch& branch = morphology_.branches[b];
    models::Discretization rule = cell_.discretization;
    Place rule_place;
    for (const models::RegionSettings* settings : here_)
      if (settings->discretization && in_range(settings->region, middle.distance_um))
        rule = *settings->discretization;
    if (!cell_.regions.empty()) rule_place = cell_.regions.back().region.place;
    if (!(lines_.lengths_um[b] > 0))
      reject(rule_place, fmt::format("branch {} has no length", branch.name));
    const Properties has = properties_at({names_[b].name, middle, lines_.diameter_um(b), {b}});
    return {has,
            compartments_of(lines_, b, branch, has.Ra_ohm_cm, has.cm_uF_per_cm2, rule, rule_place)};
  }

  void add_branch(std::size_t b) {
    const models::Branch& branch = morphology_.branches[b];
    DiscreteBranch discrete{branch.parent, branch.at, lines_.lengths_um[b]};
    find_settings(b);
    const auto [middle_has, compartments] = cut(b, location_on(b, 0.5, true));
    discrete.compartments = compartments;
    if (branch.parent < 0) {
      discrete.start_node =
          add_node(-1, 0, 0, branch.points.front().diameter_um, location_on(b, 0, false));
    } else {
      discrete.start_node = node_at(result_, branch.parent, branch.at).value;
      if (branch.at > 0) result_.branches[static_cast<std::size_t>(branch.parent)].is_tip = false;
    }
    const bool one = is_one(here_, &models::RegionSettings::cm_uF_per_cm2) &&
                     is_one(here_, &models::RegionSettings::Ra_ohm_cm);
    if (!morphology_.given && one && was_one_ && middle_has == before_has_ &&
        discrete.compartments == result_.branches[b - 1].compartments &&
        have_same_points(branch, morphology_.branches[b - 1]))
      repeat_nodes(b, discrete);
    else
      add_nodes(b, discrete, one ? &middle_has : nullptr);
    was_one_ = one;
    before_has_ = middle_has;
    result_.branches.push_back(std::move(discrete));
  }

  Properties properties_at(const CutPiece& piece) const {
    using Settings = models::RegionSettings;
    return {setting_at(of_, here_, piece, &Settings::Ra_ohm_cm, default_Ra_ohm_cm),
            setting_at(of_, here_, piece, &Settings::cm_uF_per_cm2, default_cm_uF_per_cm2)};
  }

  /// Of a cell that is given in compartments.
  void add_given_nodes(std::size_t b, DiscreteBranch& discrete, const Properties* everywhere) {
    const models::CompartmentNumbers& given = *morphology_.given;
    int previous = discrete.start_node;
    for (int i = 0; i < discrete.compartments; ++i, ++given_) {
      const NodeLocation location = location_on(b, (i + 0.5) / discrete.compartments, true);
      const double diameter_um = given.diameter_um[given_];
      const double cm =
          (everywhere ? *everywhere
                      : properties_at(
                            {names_[b].name, location, diameter_um, {b, i, discrete.compartments}}))
              .cm_uF_per_cm2;
      const double area_um2 = given.area_um2[given_];
      previous =
          add_node(previous, 1 / given.resistance_MOhm[given_], area_um2, diameter_um, location);
      if (i == 0) discrete.first_node = previous;
      columns_.capacitance_nF.back() = 1e-5 * cm * area_um2;
    }
    discrete.end_node = add_node(previous, 1 / given.end_resistance_MOhm[b], 0,
                                 given.diameter_um[given_ - 1], location_on(b, 1, false));
  }

  /// everywhere: what all of the branch has, if it is one.
  void add_nodes(std::size_t b, DiscreteBranch& discrete, const Properties* everywhere) {
    if (morphology_.given) return add_given_nodes(b, discrete, everywhere);
    const models::Branch& branch = morphology_.branches[b];
    const std::vector<Piece> pieces = integrate_pieces(branch, discrete.compartments);
    int previous = discrete.start_node;
    double previous_half_MOhm = 0;
    for (int i = 0; i < discrete.compartments; ++i) {
      const Piece& piece = pieces[static_cast<std::size_t>(i)];
      const NodeLocation location = location_on(b, (i + 0.5) / discrete.compartments, true);
      const auto [Ra, cm] =
          everywhere
              ? *everywhere
              : properties_at(
                    {names_[b].name, location, piece.diameter_um, {b, i, discrete.compartments}});
      // ohm.cm / um = 1e4 ohm = 0.01 MOhm
      const double left_MOhm = previous_half_MOhm + 0.01 * Ra * piece.resistance_left;
      previous = add_node(previous, 1 / left_MOhm, piece.area_um2, piece.diameter_um, location);
      if (i == 0) discrete.first_node = previous;
      // uF/cm2 · um2 = 1e-8 uF = 1e-5 nF
      columns_.capacitance_nF.back() = 1e-5 * cm * piece.area_um2;
      previous_half_MOhm = 0.01 * Ra * piece.resistance_right;
    }
    discrete.end_node = add_node(previous, 1 / previous_half_MOhm, 0,
                                 branch.points.back().diameter_um, location_on(b, 1, false));
  }

  /// A branch with the points, compartments and properties of the one before: only where it joins,
  /// and so its distances, differ.
  void repeat_nodes(std::size_t b, DiscreteBranch& discrete) {
    const DiscreteBranch& before = result_.branches[b - 1];
    const auto from = static_cast<std::size_t>(before.first_node), to = result_.node_count();
    const auto count = static_cast<std::size_t>(before.end_node - before.first_node) + 1;
    for (std::vector<double>* column : {&columns_.coupling_uS, &columns_.area_um2,
                                        &columns_.diameter_um, &columns_.capacitance_nF}) {
      column->resize(to + count);
      std::copy_n(column->data() + from, count, column->data() + to);
    }
    result_.parent.resize(to + count);
    columns_.locations.resize(to + count);
    for (std::size_t n = 0; n < count; ++n) {
      result_.parent[to + n] = n == 0 ? discrete.start_node : static_cast<int>(to + n) - 1;
      NodeLocation& location = columns_.locations[to + n];
      location = columns_.locations[from + n];
      location.distance_um = distance_um(b, location.position);
    }
    discrete.first_node = static_cast<int>(to);
    discrete.end_node = static_cast<int>(to + count) - 1;
  }

  int add_node(int parent, double coupling, double area, double diameter,
               const NodeLocation& location) {
    result_.parent.push_back(parent);
    columns_.coupling_uS.push_back(coupling);
    columns_.area_um2.push_back(area);
    columns_.diameter_um.push_back(diameter);
    columns_.capacitance_nF.push_back(0);
    columns_.locations.push_back(location);
    return static_cast<int>(result_.parent.size()) - 1;
  }

  double distance_um(std::size_t b, double position) const {
    const double arc = position * lines_.lengths_um[b];
    return entries_[b].distance_um + std::abs(arc - entries_[b].arc_um);
  }

  NodeLocation location_on(std::size_t b, double position, bool is_compartment) const {
    const models::Point point = lines_.at(b, position * lines_.lengths_um[b]);
    return {is_compartment, position, distance_um(b, position), point.x_um, point.y_um, point.z_um};
  }

  const models::Morphology& morphology_;
  const models::CableCell& cell_;
  const CutFor& of_;
  models::RegionIndex regions_;
  CentreLines lines_;
  std::vector<models::PathEntry> entries_;
  SettingsHere here_;               ///< on the branch being cut
  std::vector<std::size_t> found_;  ///< their numbers
  std::size_t given_ = 0;           ///< compartments of given ones that are behind
  bool was_one_ = false;            ///< the branch before
  Properties before_has_;
  Template result_;
  std::vector<BranchName> names_;
  NodeColumns columns_;
};

bool has_sizes_by_cell(const models::CableCell& cell) {
  const auto* morphology = std::get_if<models::Morphology>(&cell.morphology);
  return morphology && models::sizes_vary(*morphology);
}

}  // namespace

bool matrix_varies(const models::CableCell& cell) {
  return has_sizes_by_cell(cell) ||
         std::ranges::any_of(cell.regions, [](const models::RegionSettings& settings) {
           const auto varies = [](const auto& value) {
             return value && value->varies_between_cells();
           };
           return varies(settings.cm_uF_per_cm2) || varies(settings.Ra_ohm_cm) ||
                  std::ranges::any_of(settings.layers, [](const models::ExtracellularLayer& layer) {
                    return std::ranges::any_of(layer.values(), [](const models::Value* value) {
                      return value->varies_between_cells();
                    });
                  });
         });
}

std::vector<double> matrix_key(const models::CableCell& cell, const CutFor& of) {
  if (has_sizes_by_cell(cell)) return {of.bindings.index};
  std::vector<const models::Value*> values;
  for (const models::RegionSettings& settings : cell.regions) {
    for (const auto* value : {&settings.cm_uF_per_cm2, &settings.Ra_ohm_cm})
      if (*value) values.push_back(&**value);
    for (const models::ExtracellularLayer& layer : settings.layers)
      for (const models::Value* value : layer.values()) values.push_back(value);
  }
  std::vector<double> key;
  for (const models::Value* value : values) {
    if (!value->varies_between_cells()) continue;
    if (value->varies_along_cell()) return {of.bindings.index};
    key.push_back(value_for(of, *value, {"", {}}));
  }
  return key;
}

Template discretise(const models::Morphology& morphology, const models::CableCell& cell,
                    const CutFor& of) {
  const auto cut = [&](const models::Morphology& one) {
    Template result = Discretisation(one, cell, of).take();
    result.extracellular = extracellular_of(result, cell, of);
    return result;
  };
  if (!models::sizes_vary(morphology)) return cut(morphology);
  return cut(models::of_one_cell(morphology, static_cast<std::size_t>(of.bindings.index)));
}

std::vector<int> compartments_of_branches(const models::Morphology& morphology,
                                          const models::CableCell& cell, const CutFor& of) {
  return Discretisation(morphology, cell, of).counts();
}

bool share_nodes(Template& cell, const std::shared_ptr<const Template>& other, Lengths lengths) {
  const auto are_alike = [&](DiscreteBranch one, const DiscreteBranch& its) {
    if (lengths == Lengths::any) one.length_um = its.length_um;
    return one == its;
  };
  if (!std::ranges::equal(cell.branches, other->branches, are_alike) ||
      cell.parent != other->parent)
    return false;
  cell.names = other->names;
  cell.same_nodes = other;
  return true;
}

bool has_own_sizes(const Template& cell, const Template& other) {
  return cell.columns != other.columns &&
         (cell.columns->area_um2 != other.columns->area_um2 || cell.branches != other.branches);
}

}  // namespace hillock::solver
