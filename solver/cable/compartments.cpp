#include "solver/cable/compartments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "solver/cable/frusta.hpp"

namespace hillock::solver {

namespace {

constexpr int most_compartments = 32767;  // of one branch, as in NEURON

/// Path lengths from the middle of the soma: each branch is entered at one arc length.
struct Entry {
  double arc_um = 0;
  double distance_um = 0;
};

std::vector<Entry> path_entries(const models::Morphology& morphology,
                                const std::vector<double>& lengths) {
  const auto& branches = morphology.branches;
  std::vector<Entry> entries(branches.size());
  std::vector<bool> known(branches.size(), false);
  const auto soma = std::find_if(branches.begin(), branches.end(),
                                 [](const auto& branch) { return branch.region == "soma"; });
  const std::size_t origin =
      soma == branches.end() ? 0 : static_cast<std::size_t>(soma - branches.begin());
  entries[origin] = {soma == branches.end() ? 0.0 : lengths[origin] / 2, 0};
  known[origin] = true;
  const auto distance = [&](std::size_t b, double arc) {
    return entries[b].distance_um + std::abs(arc - entries[b].arc_um);
  };
  // Towards the root each branch is entered where the one below joins it, elsewhere at its 0 end.
  for (std::size_t b = origin; branches[b].parent >= 0;) {
    const auto p = static_cast<std::size_t>(branches[b].parent);
    entries[p] = {branches[b].at * lengths[p], distance(b, 0)};
    known[p] = true;
    b = p;
  }
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (known[b]) continue;
    if (branches[b].parent >= 0) {
      const auto p = static_cast<std::size_t>(branches[b].parent);
      entries[b] = {0, distance(p, branches[b].at * lengths[p])};
    }
    known[b] = true;
  }
  return entries;
}

/// The point of the centre line at an arc length.
models::Point point_at(const models::Branch& branch, double arc_um) {
  double before = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const auto& p = branch.points[i - 1];
    const auto& q = branch.points[i];
    const double span = std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
    if (before + span >= arc_um && span > 0) {
      const double f = (arc_um - before) / span;
      return {p.x_um + f * (q.x_um - p.x_um), p.y_um + f * (q.y_um - p.y_um),
              p.z_um + f * (q.z_um - p.z_um), p.diameter_um + f * (q.diameter_um - p.diameter_um)};
    }
    before += span;
  }
  return branch.points.back();
}

bool in_range(const models::Region& region, double distance_um) {
  return !region.distance_um ||
         (distance_um >= region.distance_um->first && distance_um <= region.distance_um->second);
}

double evaluate_constant(const models::Value& value, const DiscreteBranch& branch,
                         const NodePlace& place) {
  Bindings bindings;
  bindings.distance_um = place.distance_um;
  bindings.x_um = place.x_um;
  bindings.y_um = place.y_um;
  bindings.z_um = place.z_um;
  RandomStream none(0, Purpose::parameter, {});
  return value.evaluate(bindings, none,
                        [&] { return fmt::format("{}({:.6g})", branch.name, place.position); });
}

/// What the last region that holds a place says of one setting, or the default.
template <class Setting>
double setting_at(const models::CableCell& cell, const DiscreteBranch& branch,
                  const NodePlace& place, Setting setting, double fallback) {
  double value = fallback;
  for (const auto& settings : cell.regions) {
    if (!selects_branch(settings.region, branch) || !in_range(settings.region, place.distance_um))
      continue;
    const auto& given = settings.*setting;
    if (!given) continue;
    value = evaluate_constant(*given, branch, place);
    if (!(value > 0 && std::isfinite(value)))
      reject(given->place(), fmt::format("the value at {}({:.6g}) is {:.6g} (it must be positive)",
                                         branch.name, place.position, value));
  }
  return value;
}

/// Length over the AC length constant at 100 Hz, summed over frusta (Hines and Carnevale 2001).
double electrotonic_length(const models::Branch& branch, double Ra, double cm) {
  double sum = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const auto& p = branch.points[i - 1];
    const auto& q = branch.points[i];
    sum += std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um) /
           std::sqrt(p.diameter_um + q.diameter_um);
  }
  return sum * std::sqrt(2.0) * 1e-5 * std::sqrt(4 * std::numbers::pi * 100.0 * Ra * cm);
}

int compartments_of(const models::Branch& branch, double length, double Ra, double cm,
                    const models::Discretization& rule, const Place& place) {
  if (branch.compartments > 0) return branch.compartments;
  double wanted = 1;
  switch (rule.kind) {
    case models::Discretization::Kind::per_branch:
      wanted = rule.per_branch;
      break;
    case models::Discretization::Kind::max_length:
      // A length that is a multiple up to round-off takes no extra piece.
      wanted = std::max(1.0, std::ceil(length / rule.max_length_um * (1 - 1e-12)));
      break;
    case models::Discretization::Kind::d_lambda: {
      const double lambdas = electrotonic_length(branch, Ra, cm);
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
  return static_cast<std::size_t>(std::count_if(
      places.begin(), places.end(), [](const NodePlace& place) { return place.is_compartment; }));
}

std::string Template::describe(NodeId node) const {
  const NodePlace& place = places[static_cast<std::size_t>(node.value)];
  return fmt::format("{}({:.6g})", branches[static_cast<std::size_t>(place.branch)].name,
                     place.position);
}

bool selects_branch(const models::Region& region, const DiscreteBranch& branch) {
  return region.name == "all" || region.name == branch.region || region.name == branch.name;
}

bool contains(const models::Region& region, const Template& cell, NodeId node) {
  const NodePlace& place = cell.places[static_cast<std::size_t>(node.value)];
  return place.is_compartment &&
         selects_branch(region, cell.branches[static_cast<std::size_t>(place.branch)]) &&
         in_range(region, place.distance_um);
}

NodeId node_at(const Template& cell, int branch, double position) {
  const DiscreteBranch& b = cell.branches[static_cast<std::size_t>(branch)];
  if (position <= 0) return NodeId(b.start_node);
  if (position >= 1) return NodeId(b.end_node);
  const int piece = static_cast<int>(position * b.compartments);
  return NodeId(b.first_node + std::min(piece, b.compartments - 1));
}

Template discretise(const models::Morphology& morphology, const models::CableCell& cell) {
  std::vector<double> lengths;
  for (const auto& branch : morphology.branches) lengths.push_back(models::length_um(branch));
  const std::vector<Entry> entries = path_entries(morphology, lengths);
  Template result;
  std::size_t fixed = 1;  // nodes, as far as the morphology says
  for (const auto& branch : morphology.branches)
    fixed += static_cast<std::size_t>(branch.compartments) + 1;
  result.branches.reserve(morphology.branches.size());
  result.parent.reserve(fixed);
  for (auto* column :
       {&result.coupling_uS, &result.area_um2, &result.diameter_um, &result.capacitance_nF})
    column->reserve(fixed);
  result.places.reserve(fixed);
  const auto add_node = [&](int parent, double coupling, double area, double diameter,
                            const NodePlace& place) {
    result.parent.push_back(parent);
    result.coupling_uS.push_back(coupling);
    result.area_um2.push_back(area);
    result.diameter_um.push_back(diameter);
    result.capacitance_nF.push_back(0);
    result.places.push_back(place);
    return static_cast<int>(result.parent.size()) - 1;
  };
  const auto place_on = [&](std::size_t b, double position, bool is_compartment) {
    const double arc = position * lengths[b];
    const models::Point point = point_at(morphology.branches[b], arc);
    return NodePlace{static_cast<int>(b),
                     is_compartment,
                     position,
                     entries[b].distance_um + std::abs(arc - entries[b].arc_um),
                     point.x_um,
                     point.y_um,
                     point.z_um};
  };
  for (std::size_t b = 0; b < morphology.branches.size(); ++b) {
    const models::Branch& branch = morphology.branches[b];
    DiscreteBranch discrete{branch.name, branch.region, branch.parent, branch.at, lengths[b]};
    const NodePlace middle = place_on(b, 0.5, true);
    models::Discretization rule = cell.discretization;
    Place rule_place;
    for (const auto& settings : cell.regions) {
      rule_place = settings.region.place;
      if (settings.discretization && selects_branch(settings.region, discrete) &&
          in_range(settings.region, middle.distance_um))
        rule = *settings.discretization;
    }
    if (!(lengths[b] > 0)) reject(rule_place, fmt::format("branch {} has no length", branch.name));
    using Settings = models::RegionSettings;
    const auto cm_at = [&](const NodePlace& place) {
      return setting_at(cell, discrete, place, &Settings::cm_uF_per_cm2, default_cm_uF_per_cm2);
    };
    const auto Ra_at = [&](const NodePlace& place) {
      return setting_at(cell, discrete, place, &Settings::Ra_ohm_cm, default_Ra_ohm_cm);
    };
    discrete.compartments =
        compartments_of(branch, lengths[b], Ra_at(middle), cm_at(middle), rule, rule_place);
    if (branch.parent < 0) {
      discrete.start_node =
          add_node(-1, 0, 0, branch.points.front().diameter_um, place_on(b, 0, false));
    } else {
      discrete.start_node = node_at(result, branch.parent, branch.at).value;
      if (branch.at > 0) result.branches[static_cast<std::size_t>(branch.parent)].is_tip = false;
    }
    const std::vector<Piece> pieces = integrate_pieces(branch, discrete.compartments);
    int previous = discrete.start_node;
    double previous_half_MOhm = 0;
    for (int i = 0; i < discrete.compartments; ++i) {
      const Piece& piece = pieces[static_cast<std::size_t>(i)];
      const NodePlace place = place_on(b, (i + 0.5) / discrete.compartments, true);
      // ohm.cm / um = 1e4 ohm = 0.01 MOhm
      const double Ra = Ra_at(place);
      const double left_MOhm = previous_half_MOhm + 0.01 * Ra * piece.resistance_left;
      previous = add_node(previous, 1 / left_MOhm, piece.area_um2, piece.diameter_um, place);
      if (i == 0) discrete.first_node = previous;
      // uF/cm2 · um2 = 1e-8 uF = 1e-5 nF
      result.capacitance_nF.back() = 1e-5 * cm_at(place) * piece.area_um2;
      previous_half_MOhm = 0.01 * Ra * piece.resistance_right;
    }
    discrete.end_node = add_node(previous, 1 / previous_half_MOhm, 0,
                                 branch.points.back().diameter_um, place_on(b, 1, false));
    result.branches.push_back(std::move(discrete));
  }
  return result;
}

namespace {

/// One compartment of the region, drawn with probability proportional to its length.
NodeId draw_by_length(const Template& cell, const models::Region& region, RandomStream& stream) {
  double total = 0;
  const auto length_of = [&](std::size_t n) {
    const auto& branch = cell.branches[static_cast<std::size_t>(cell.places[n].branch)];
    return branch.length_um / branch.compartments;
  };
  NodeId last(-1);
  for (std::size_t n = 0; n < cell.node_count(); ++n)
    if (contains(region, cell, NodeId(static_cast<int>(n)))) total += length_of(n);
  double left = stream.uniform() * total;
  for (std::size_t n = 0; n < cell.node_count(); ++n) {
    const NodeId node(static_cast<int>(n));
    if (!contains(region, cell, node)) continue;
    last = node;
    left -= length_of(n);
    if (left < 0) break;
  }
  return last;
}

}  // namespace

std::vector<NodeId> resolve(const Template& cell, const models::Locations& locations,
                            RandomStream& stream) {
  using Kind = models::Locations::Kind;
  std::vector<NodeId> nodes;
  const auto add_if_in_range = [&](NodeId node) {
    if (in_range(locations.region, cell.places[static_cast<std::size_t>(node.value)].distance_um))
      nodes.push_back(node);
  };
  switch (locations.kind) {
    case Kind::position:
    case Kind::middles:
      for (std::size_t b = 0; b < cell.branches.size(); ++b) {
        const double position = locations.kind == Kind::middles ? 0.5 : locations.position;
        if (selects_branch(locations.region, cell.branches[b]))
          add_if_in_range(node_at(cell, static_cast<int>(b), position));
      }
      break;
    case Kind::tips:
      for (const auto& branch : cell.branches)
        if (branch.is_tip && selects_branch(locations.region, branch))
          add_if_in_range(NodeId(branch.end_node));
      break;
    case Kind::all:
      for (std::size_t n = 0; n < cell.node_count(); ++n)
        if (contains(locations.region, cell, NodeId(static_cast<int>(n))))
          nodes.push_back(NodeId(static_cast<int>(n)));
      break;
    case Kind::uniform: {
      const NodeId node = draw_by_length(cell, locations.region, stream);
      if (node.value >= 0) nodes.push_back(node);
      break;
    }
  }
  if (nodes.empty())
    reject(locations.place, fmt::format("'{}' is nowhere on this cell", locations.text));
  return nodes;
}

}  // namespace hillock::solver
