#include "io/model/cells/read_morphology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/model/cells/read_morphology_file.hpp"
#include "io/model/context/cell_shape.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"
#include "models/region_index.hpp"

namespace hillock::io {

namespace {

constexpr std::int64_t deepest_tree = 24;
constexpr double most_compartments_a_branch = 100'000;

/// [first, last], or one value for both.
std::optional<std::pair<double, double>> read_pair(const Item& item, const Slot& slot) {
  if (!item.is_list()) {
    const auto value = read_constant(item, slot);
    if (!value) return std::nullopt;
    return std::pair{*value, *value};
  }
  const auto values = read_constants(item, slot, 2);
  if (!values) return std::nullopt;
  return std::pair{(*values)[0], (*values)[1]};
}

double expected_compartments(const models::RandomTree& tree) {
  double expected = 0;
  double branches = 1;
  for (int level = 0; level < tree.depth; ++level) {
    const double p = tree.depth == 1 ? 0 : static_cast<double>(level) / (tree.depth - 1);
    const auto between = [p](const std::pair<double, double>& ends) {
      return ends.first + p * (ends.second - ends.first);
    };
    branches *= 2 * between(tree.branch_probability);
    expected += branches * between(tree.compartments);
  }
  return expected;
}

std::optional<models::RandomTree> read_random_tree(const Item& item) {
  MapReader map(item, "a random tree");
  const auto depth = map.require("depth");
  const auto probability = map.find("branch_probability");
  const auto compartments = map.find("compartments");
  const auto length = map.find("length");
  const auto diameter = map.find("diameter");
  const auto soma_length = map.find("soma_length");
  const auto soma_diameter = map.find("soma_diameter");
  ValueReader read(map.finish());
  models::RandomTree tree;
  const Slot size = Slot::of("um").more_than(0).at_most(1e6);
  const Slot thickness = Slot(size).usually(Usual::diameter);
  read.whole_number(depth, 1, deepest_tree, tree.depth);
  if (probability)
    read.take(read_pair(*probability, Slot::of("").at_least(0).at_most(1)),
              tree.branch_probability);
  if (compartments)
    read.take(read_pair(*compartments, Slot::of("").at_least(1).at_most(32767)), tree.compartments);
  if (length) read.take(read_pair(*length, size), tree.length_um);
  read.constant(diameter, thickness, tree.diameter_um);
  read.constant(soma_length, size, tree.soma_length_um);
  read.constant(soma_diameter, thickness, tree.soma_diameter_um);
  if (!read.good()) return std::nullopt;
  const double expected = expected_compartments(tree);
  if (expected > most_compartments_a_cell) {
    item.error(
        fmt::format("a tree of this depth has about {:.2g} compartments (at most 1e7 are"
                    " possible in a cell)",
                    expected));
    return std::nullopt;
  }
  return tree;
}

/// `origin: root`, or a place on one branch.
bool read_origin(const Item& item, models::Morphology& morphology) {
  if (item.is_scalar() && item.text("a place") == "root") {
    morphology.origin = {0, 0};
    return true;
  }
  if (item.is_map() || item.is_list()) {
    item.wrong_form("root or a place, such as soma(0)");
    return false;
  }
  const auto place = read_locations(item, shape_of(morphology), LocationsFor::instances);
  if (!place) return false;
  if (place->kind != models::Locations::Kind::position) {
    item.error(
        fmt::format("distances begin at one place, such as soma(0), not at '{}'", place->text));
    return false;
  }
  const auto branch =
      std::ranges::find(morphology.branches, place->region.name, &models::Branch::name);
  morphology.origin = {static_cast<std::size_t>(branch - morphology.branches.begin()),
                       place->position};
  return true;
}

/// The setting that decides for a branch, of the entries that hold it; later ones win.
template <class Member>
const Member* setting_for(const models::CableCell& cell, const std::vector<std::size_t>& here,
                          std::optional<Member> models::RegionSettings::*member) {
  for (auto entry = here.rbegin(); entry != here.rend(); ++entry)
    if (const auto& setting = cell.regions[*entry].*member) return &*setting;
  return nullptr;
}

double constant_or(const models::Value* value, double otherwise) {
  if (!value) return otherwise;
  if (value->is_constant()) return value->constant();
  const auto* expression = std::get_if<Expression>(&value->content());
  const double result = expression ? expression->evaluate({}) : otherwise;
  return result > 0 && std::isfinite(result) ? result : otherwise;
}

/// About how many compartments a branch gets. here: the entries of `regions:` that hold it.
double estimate(const models::CableCell& cell, const models::Branch& branch,
                const std::vector<std::size_t>& here) {
  if (branch.compartments > 0) return branch.compartments;
  const auto* own = setting_for(cell, here, &models::RegionSettings::discretization);
  const models::Discretization& rule = own ? *own : cell.discretization;
  const double length = models::length_um(branch);
  switch (rule.kind) {
    case models::Discretization::Kind::per_branch:
      return rule.per_branch;
    case models::Discretization::Kind::max_length:
      return std::ceil(length / rule.max_length_um);
    case models::Discretization::Kind::odd_pieces:
      return 1 + 2 * std::floor(length / rule.max_length_um);
    case models::Discretization::Kind::d_lambda:
      break;
  }
  const double cm = constant_or(setting_for(cell, here, &models::RegionSettings::cm_uF_per_cm2), 1);
  const double ra = constant_or(setting_for(cell, here, &models::RegionSettings::Ra_ohm_cm), 35.4);
  double diameter = branch.points[0].diameter_um;
  for (const auto& point : branch.points) diameter = std::min(diameter, point.diameter_um);
  constexpr double frequency_Hz = 100;
  const double lambda = 1e5 * std::sqrt(diameter / (4 * std::numbers::pi * frequency_Hz * ra * cm));
  return length / (rule.d_lambda * lambda) + 1;
}

}  // namespace

std::optional<AnyMorphology> read_morphology(ReadContext& context, const Item& item) {
  enum class Form { swc, asc, branches, compartments, random_tree };
  static const OneOf<Form> forms{{"swc", Form::swc},
                                 {"asc", Form::asc},
                                 {"branches", Form::branches},
                                 {"compartments", Form::compartments},
                                 {"random_tree", Form::random_tree}};
  MapReader map(item, "a morphology");
  const auto chosen = map.one_of(forms);
  if (!chosen) {
    allow_keys_of_files(map);
    map.allow("origin");
    map.finish();
    return std::nullopt;
  }
  if (chosen->meaning == Form::random_tree)
    return map.finish() ? read_random_tree(chosen->item) : std::nullopt;
  const auto origin = map.find("origin");
  std::optional<models::Morphology> morphology;
  if (chosen->meaning == Form::swc)
    morphology = read_morphology_file(context, map, MorphologyFormat::swc, chosen->item);
  else if (chosen->meaning == Form::asc)
    morphology = read_morphology_file(context, map, MorphologyFormat::asc, chosen->item);
  else if (map.finish())
    morphology = chosen->meaning == Form::branches ? read_branches(chosen->item)
                                                   : read_compartments(context, chosen->item);
  if (morphology && origin && !read_origin(*origin, *morphology)) return std::nullopt;
  return morphology;
}

std::optional<models::Discretization> read_discretization(const Item& item) {
  using Kind = models::Discretization::Kind;
  static const OneOf<Kind> kinds{{"max_length", Kind::max_length},
                                 {"d_lambda", Kind::d_lambda},
                                 {"per_branch", Kind::per_branch},
                                 {"odd_pieces", Kind::odd_pieces}};
  MapReader map(item, "a discretization");
  const auto chosen = map.one_of(kinds);
  if (!map.finish() || !chosen) return std::nullopt;
  models::Discretization result;
  result.kind = chosen->meaning;
  if (result.kind == Kind::per_branch) {
    const auto value = chosen->item.whole_number(1, 32767);
    if (!value) return std::nullopt;
    result.per_branch = static_cast<int>(*value);
    return result;
  }
  const bool lambdas = result.kind == Kind::d_lambda;
  const auto value = read_constant(chosen->item, Slot::of(lambdas ? "" : "um").more_than(0));
  if (!value) return std::nullopt;
  (lambdas ? result.d_lambda : result.max_length_um) = *value;
  return result;
}

double check_compartments(const models::CableCell& cell, const Item& item) {
  if (const auto* tree = std::get_if<models::RandomTree>(&cell.morphology))
    return expected_compartments(*tree);
  const auto& morphology = std::get<models::Morphology>(cell.morphology);
  const models::RegionIndex regions(cell.regions);
  std::vector<std::size_t> here;
  double total = 0;
  for (const auto& branch : morphology.branches) {
    regions.find(branch.region, branch.name, here);
    const double count = estimate(cell, branch, here);
    if (count > most_compartments_a_branch) {
      item.error(
          fmt::format("branch {} would have about {:.2g} compartments (at most 1e5 are"
                      " possible). Is max_length, odd_pieces or d_lambda too small?",
                      branch.name, count));
      return total;
    }
    total += count;
  }
  if (total > most_compartments_a_cell)
    item.error(
        fmt::format("the cell would have about {:.2g} compartments (at most 1e7 are"
                    " possible)",
                    total));
  return total;
}

}  // namespace hillock::io
