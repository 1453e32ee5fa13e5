// Reads `cells:`: each cell's shape, regions and detector, or an Izhikevich neuron.

#include <fmt/format.h>

#include <algorithm>

#include "io/model/cells/read_fit.hpp"
#include "io/model/cells/read_morphology.hpp"
#include "io/model/cells/read_regions.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

std::optional<models::Detector> read_detector(const Item& item, const CellShape& shape) {
  models::Detector detector;
  detector.place = item.place();
  MapReader map(item, "a detector");
  const auto at = map.require("at");
  const auto threshold = map.find("threshold");
  ValueReader read(map.finish());
  if (at && read.take(read_locations(*at, shape, LocationsFor::instances), detector.at) &&
      detector.at.kind != models::Locations::Kind::position)
    read.error(*at, fmt::format("a detector stands at one place, such as soma(0.5), not at '{}'",
                                detector.at.text));
  read.constant(threshold, Slot::of("mV").at_least(-1000).at_most(1000), detector.threshold_mV);
  return read.result(detector);
}

models::CableCell read_cable_cell(ReadContext& context, MapReader& map, CellInfo& info) {
  models::CableCell cell;
  const auto morphology = map.require("morphology");
  const auto discretization = map.find("discretization");
  const auto fit = map.find("fit");
  const auto regions = map.find("regions");
  const auto detector = map.find("detector");
  map.finish();
  if (morphology) {
    if (auto shape = read_morphology(context, *morphology)) {
      cell.morphology = std::move(*shape);
      info.shape = std::visit([](const auto& m) { return shape_of(m); }, cell.morphology);
    }
  }
  bool discretization_known = true;
  if (discretization && info.shape.is_given())
    discretization->error("the compartments of this cell are given, and nothing cuts it");
  if (discretization) {
    const auto rule = read_discretization(*discretization);
    discretization_known = rule.has_value();
    if (rule) cell.discretization = *rule;
  }
  if (context.network.run.begins_at_rest && info.shape.drawn)
    morphology->error(
        "each cell draws its own random tree, so there is no rest of all of them (run.v_init is "
        "rest)");
  const std::size_t errors_before = context.diagnostics.error_count();
  if (fit)
    if (auto settings = read_fit(context, *fit, info)) cell.regions = std::move(*settings);
  if (regions) read_regions(context, *regions, cell, info);
  if (discretization_known && context.diagnostics.error_count() == errors_before)
    info.compartments = check_compartments(cell, discretization ? *discretization : map.item());
  info.has_detector = detector.has_value();
  if (detector) cell.detector = read_detector(*detector, info.shape);
  return cell;
}

/// The mechanism that is a cell by itself, with its parameters.
std::optional<models::ArtificialCell> read_own_mechanism(ReadContext& context, const Item& item,
                                                         const MechanismSignature& signature,
                                                         CellInfo& info) {
  info.artificial = &signature;  // whatever is wrong with its parameters
  auto use = read_mechanism(context, item, signature, ParameterScope::cell);
  if (!use) return std::nullopt;
  return models::ArtificialCell{std::move(*use)};
}

/// `artificial: {leaky: {tau: 10 ms}}`
std::optional<models::ArtificialCell> read_artificial(ReadContext& context, const Item& item,
                                                      CellInfo& info) {
  std::vector<std::string> names;
  for (const auto& [name, signature] : context.signatures)
    if (signature.is_artificial) names.push_back(name);
  if (!item.is_map() || item.node().entries.size() != 1) {
    item.error("an artificial cell is one mechanism with its parameters");
    return std::nullopt;
  }
  const MapReader map(item, "an artificial cell");
  const auto& entry = item.node().entries.front();
  const auto found = context.signatures.find(entry.key);
  if (context.broken_mechanisms.use(entry.key)) return std::nullopt;
  if (found == context.signatures.end() || !found->second.is_artificial) {
    item.error_at(entry.place(), fmt::format("there is no ARTIFICIAL_CELL '{}'.{}", entry.key,
                                             did_you_mean(entry.key, names)));
    return std::nullopt;
  }
  return read_own_mechanism(context, map.child(entry), found->second, info);
}

/// `{izhikevich: {a: 0.02}}`: the point neuron whose name is a key of the cell, or null.
const MechanismSignature* named_point_neuron(const ReadContext& context, const MapReader& map) {
  for (const auto& [name, signature] : context.signatures)
    if (signature.is_point_neuron && map.has(name)) return &signature;
  return nullptr;
}

/// What a cell might be instead of one with a morphology, for the hint where a key is not known.
void allow_other_kinds(const ReadContext& context, MapReader& map) {
  map.allow("artificial");
  for (const auto& [name, signature] : context.signatures)
    if (signature.is_point_neuron) map.allow(name);
}

}  // namespace

void read_cells(ReadContext& context, const Item& item) {
  if (!item.is_map()) return item.wrong_form("a map of cells");
  for (const auto& entry : item.node().entries) {
    const Item cell_item(*entry.value, "cells." + entry.key, context.diagnostics);
    models::Cell cell;
    cell.name = entry.key;
    cell.place = entry.place();
    CellInfo info;
    info.place = entry.place();
    if (!is_region_name(entry.key) || entry.key.find('[') != std::string::npos)
      cell_item.error_at(entry.place(), fmt::format("'{}' cannot name a cell (letters, digits, _"
                                                    " and -)",
                                                    entry.key));
    context.columns.clear();
    MapReader map(cell_item, "a cell");
    if (map.is_map()) {
      info.kind_known = true;
      const auto take = [&](std::optional<models::ArtificialCell> artificial) {
        info.kind_known = info.artificial != nullptr;
        if (artificial) cell.kind = std::move(*artificial);
      };
      if (const MechanismSignature* const neuron = named_point_neuron(context, map)) {
        const auto inner = map.find(neuron->name);
        info.is_cable = false;
        map.finish();
        take(read_own_mechanism(context, *inner, *neuron, info));
      } else if (map.has("artificial")) {
        const auto inner = map.find("artificial");
        info.is_cable = false;
        map.finish();
        take(read_artificial(context, *inner, info));
      } else {
        allow_other_kinds(context, map);
        info.kind_known = map.has("morphology");  // else it may be meant to be of another one
        const std::size_t errors = context.diagnostics.error_count();
        cell.kind = read_cable_cell(context, map, info);
        info.is_sound = context.diagnostics.error_count() == errors;
      }
    }
    info.columns = std::move(context.columns);
    context.columns.clear();
    context.cell_index[entry.key] = context.cells.size();
    context.cells.push_back(std::move(info));
    context.network.cells.push_back(std::move(cell));
  }
  if (item.node().entries.empty()) item.error("there are no cells");
}

}  // namespace hillock::io
