// Reads `cells:`: each cell's shape, regions and detector, or an Izhikevich neuron.

#include <fmt/format.h>

#include <algorithm>

#include "io/model/locations.hpp"
#include "io/model/read_context.hpp"
#include "io/model/read_fit.hpp"
#include "io/model/read_mechanism.hpp"
#include "io/model/read_morphology.hpp"
#include "io/model/slot.hpp"
#include "io/model/value_reader.hpp"

namespace hillock::io {

namespace {

/// Warns of a region that a cell may lack, where the name looks like a slip of the pen.
void warn_of_absent(const MapReader& map, const Place& key_place, const std::string& name,
                    const CellShape& shape) {
  std::vector<std::string> usual{"soma", "axon", "dend", "apic"};
  if (std::ranges::find(usual, name) != usual.end()) return;
  const auto own = shape.region_names();
  usual.insert(usual.end(), own.begin(), own.end());
  const std::string hint = did_you_mean(name, usual);
  if (hint.empty()) return;
  map.item().diagnostics().warning(
      key_place, fmt::format("{}: the cell has no region '{}', and may lack it.{}",
                             map.item().path(), name, hint));
}

/// The region that the entry `name` of `regions:` stands for; registers a custom tag. Nothing after
/// an error, and where the cell may lack what it does lack.
std::optional<models::Region> read_region_name(const MapReader& map, const std::string& name,
                                               const Place& key_place,
                                               const std::optional<Item>& of,
                                               const std::optional<Item>& distance, bool may_lack,
                                               CellInfo& info) {
  const Item& item = map.item();
  models::Region region;
  region.place = key_place;
  CellShape& shape = info.shape;
  const auto exists = [&](const std::string& candidate) {
    return !shape.known || shape.has_region(candidate) || shape.find_branch(candidate);
  };
  if (of) {
    const auto text = of->text("the name of a region");
    if (!text) return std::nullopt;
    if (!is_region_name(name) || name == "uniform" || name == "tips") {
      item.error_at(key_place, fmt::format("'{}' cannot name a region", name));
      return std::nullopt;
    }
    if (name == "all" || (shape.known && (shape.has_region(name) || shape.find_branch(name)))) {
      item.error_at(key_place, fmt::format("'{}' is part of the morphology, so it cannot be a new"
                                           " name for part of '{}'",
                                           name, *text));
      return std::nullopt;
    }
    if (!exists(*text)) {
      if (may_lack) {
        warn_of_absent(map, of->place(), *text, shape);
        return std::nullopt;
      }
      of->error(fmt::format("the cell has no region '{}'.{}", *text,
                            did_you_mean(*text, shape.region_names())));
      return std::nullopt;
    }
    region.name = *text;
  } else if (const auto tag = shape.tags.find(name); tag != shape.tags.end()) {
    region = tag->second;
  } else if (!exists(name)) {
    if (may_lack) {
      warn_of_absent(map, key_place, name, shape);
      return std::nullopt;
    }
    std::string known;
    for (const auto& candidate : shape.region_names())
      known += (known.empty() ? "" : ", ") + candidate;
    item.error_at(key_place,
                  fmt::format("the cell has no region '{}' (its regions: {}; a new name needs of:)."
                              "{}",
                              name, known, did_you_mean(name, shape.region_names())));
    return std::nullopt;
  } else {
    region.name = name;
  }
  if (distance) {
    region.distance_um = read_distance_range(*distance);
    if (!region.distance_um) return std::nullopt;
    if (shape.known && !shape.selects_something(region)) {
      if (!may_lack)
        distance->error(fmt::format("no part of {} lies at these distances from {}", region.name,
                                    shape.origin));
      return std::nullopt;
    }
  }
  if (of) shape.tags[name] = region;
  return region;
}

void read_mechanisms(ReadContext& context, MapReader& map, models::RegionSettings& settings,
                     CellInfo& info) {
  for (const auto& [name, signature] : context.signatures) {
    if (signature.kind == MechanismKind::density) {
      const auto entry = map.find(name);
      if (!entry) continue;
      info.density_mechanisms.insert(name);
      for (const auto& use : signature.ions) info.ions.insert(use.ion);
      if (auto use = read_mechanism(context, *entry, signature, ParameterScope::membrane))
        settings.mechanisms.push_back(std::move(*use));
    } else if (map.has(name)) {
      map.find(name)->error(
          signature.is_artificial
              ? fmt::format("{0} is a cell by itself (cells: {{a: {{artificial: {{{0}: {{}}}}}}}})",
                            name)
              : fmt::format(
                    "{} is a point process; it stands in the synapse of a projection or stimulus",
                    name));
    }
  }
  for (const std::string& name : context.broken_mechanisms.names()) {
    if (map.has(name)) context.broken_mechanisms.use(name);
    map.allow(name);
  }
}

void read_region(ReadContext& context, const Item& item, const std::string& name,
                 const Place& key_place, models::CableCell& cell, CellInfo& info) {
  models::RegionSettings settings;
  MapReader map(item, "a region");
  if (!map.is_map()) return;
  const auto of = map.find("of");
  const auto distance = map.find("distance");
  const auto optional = map.find("optional");
  const auto cm = map.find("cm");
  const auto ra = map.find("Ra");
  const auto v_init = map.find("v_init");
  const auto discretization = map.find("discretization");
  const auto ions = map.find("ions");
  const bool may_lack = optional && optional->boolean().value_or(true);
  const auto region = read_region_name(map, name, key_place, of, distance, may_lack, info);
  const auto mechanisms_before = info.density_mechanisms;
  const auto ions_before = info.ions;
  if (cm)
    settings.cm_uF_per_cm2 = read_value(
        context, *cm, Slot::of("uF/cm2").more_than(0).at_most(1e6).varying_but_not_drawn());
  if (ra)
    settings.Ra_ohm_cm = read_value(
        context, *ra, Slot::of("ohm.cm").more_than(0).at_most(1e9).varying_but_not_drawn());
  if (v_init)
    settings.v_init_mV = read_value(context, *v_init,
                                    Slot::of("mV").at_least(-1000).at_most(1000).varying_in_cell());
  if (discretization) settings.discretization = read_discretization(*discretization);
  if (ions) {
    settings.ions = read_ions(context, *ions);
    for (const auto& ion : settings.ions) info.ions.insert(ion.ion);
  }
  read_mechanisms(context, map, settings, info);
  map.finish();
  if (!region) {
    info.density_mechanisms = mechanisms_before;
    info.ions = ions_before;
    return;
  }
  settings.region = *region;
  cell.regions.push_back(std::move(settings));
}

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
  if (discretization) {
    const auto rule = read_discretization(*discretization);
    discretization_known = rule.has_value();
    if (rule) cell.discretization = *rule;
  }
  const std::size_t errors_before = context.diagnostics.error_count();
  if (fit)
    if (auto settings = read_fit(context, *fit, info)) cell.regions = std::move(*settings);
  if (regions) {
    if (!regions->is_map()) regions->wrong_form("a map of regions");
    for (const auto& entry : regions->node().entries)
      read_region(context, {*entry.value, regions->path() + '.' + entry.key, context.diagnostics},
                  entry.key, entry.place(), cell, info);
  }
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
  auto use = read_mechanism(context, item, signature, ParameterScope::cell);
  if (!use) return std::nullopt;
  info.artificial = &signature;
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
        info.kind_known = artificial.has_value();
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
        cell.kind = read_cable_cell(context, map, info);
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
