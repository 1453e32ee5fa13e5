#include "io/model/cells/read_regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/model/cells/read_diameters.hpp"
#include "io/model/cells/read_morphology.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slot.hpp"

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

/// What `of` names: one, or a list. Nothing after an error.
std::optional<std::vector<Item>> parts_of(const Item& of) {
  if (!of.is_list()) return std::vector{of};
  auto parts = of.list("a list of regions");
  if (!parts || !parts->empty()) return parts;
  of.error("names no region");
  return std::nullopt;
}

/// The regions and branches in which a new name lies. Nothing after an error, and where the cell
/// may lack all of them and does.
std::optional<models::Region> read_whole(const MapReader& map, const std::vector<Item>& parts,
                                         bool may_lack, const CellShape& shape) {
  std::vector<std::string> names;
  bool is_good = true;
  for (const Item& part : parts) {
    const auto name = part.text("the name of a region or branch, or a list of them");
    is_good = is_good && name;
    if (!name) continue;
    if (const auto tag = shape.tags.find(*name); tag != shape.tags.end()) {
      const models::Region& part_of = tag->second;
      if (part_of.distance_um) {
        part.error(
            fmt::format("'{}' is what lies at some distances: no other name is made of it", *name));
        is_good = false;
      }
      names.push_back(part_of.name);
      names.insert(names.end(), part_of.also.begin(), part_of.also.end());
    } else if (!shape.known || shape.has_region(*name) || shape.find_branch(*name)) {
      names.push_back(*name);
    } else if (may_lack) {
      warn_of_absent(map, part.place(), *name, shape);
    } else {
      part.error(fmt::format("the cell has no region '{}'.{}", *name,
                             did_you_mean(*name, shape.region_names())));
      is_good = false;
    }
  }
  if (!is_good || names.empty()) return std::nullopt;
  models::Region region;
  region.name = names.front();
  region.also.assign(names.begin() + 1, names.end());
  return region;
}

void refuse_unknown(const Item& item, const Place& key_place, const std::string& name,
                    const CellShape& shape) {
  std::string known;
  for (const auto& candidate : shape.region_names())
    known += (known.empty() ? "" : ", ") + candidate;
  item.error_at(key_place,
                fmt::format("the cell has no region '{}' (its regions: {}; a new name needs of:)."
                            "{}",
                            name, known, did_you_mean(name, shape.region_names())));
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
    const auto parts = parts_of(*of);
    if (!parts) return std::nullopt;
    if (!is_region_name(name) || name == "uniform" || name == "tips") {
      item.error_at(key_place, fmt::format("'{}' cannot name a region", name));
      return std::nullopt;
    }
    if (name == "all" || (shape.known && (shape.has_region(name) || shape.find_branch(name)))) {
      item.error_at(
          key_place,
          fmt::format(
              "'{}' is part of the morphology, so it cannot be a new name{}", name,
              of->is_list() ? " for others" : fmt::format(" for part of '{}'", of->node().scalar)));
      return std::nullopt;
    }
    const auto whole = read_whole(map, *parts, may_lack, shape);
    if (!whole) return std::nullopt;
    region.name = whole->name;
    region.also = whole->also;
  } else if (const auto tag = shape.tags.find(name); tag != shape.tags.end()) {
    region = tag->second;
  } else if (!exists(name)) {
    if (may_lack) {
      warn_of_absent(map, key_place, name, shape);
      return std::nullopt;
    }
    refuse_unknown(item, key_place, name, shape);
    return std::nullopt;
  } else {
    region.name = name;
  }
  if (distance) {
    region.distance_um = read_distance_range(*distance);
    if (!region.distance_um) return std::nullopt;
    if (shape.known && !shape.selects_something(region)) {
      if (!may_lack)
        distance->error(fmt::format("no part of {} lies at these distances from {}",
                                    region.also.empty() ? region.name : name, shape.origin));
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

/// From the membrane outwards; what a layer does not say is NEURON's.
std::vector<models::ExtracellularLayer> read_layers(ReadContext& context, const Item& item) {
  std::vector<models::ExtracellularLayer> layers;
  const auto entries = item.list("a list of layers, the one at the membrane first");
  if (!entries) return layers;
  if (entries->empty() || entries->size() > 2)
    item.error(fmt::format("has {} layers (1 or 2)", entries->size()));
  for (const Item& entry : *entries) {
    MapReader map(entry, "an extracellular layer");
    if (!map.is_map()) continue;
    const auto read = [&](const std::string& key, Slot slot, double otherwise) {
      const auto value = map.find(key);
      const auto read =
          value ? read_value(
                      context, *value,
                      std::move(slot)
                          .at_most(1e15)
                          .usually(Usual::any)
                          .varying_but_not_drawn("layers are not drawn for each compartment (r is "
                                                 "one draw a cell)"))
                : std::nullopt;
      return read.value_or(models::Value(otherwise));
    };
    layers.push_back({read("xraxial", Slot::of("MOhm/cm").more_than(0), 1e9),
                      read("xg", Slot::of("S/cm2").at_least(0), 1e9),
                      read("xc", Slot::of("uF/cm2").at_least(0), 0)});
    map.finish();
  }
  return layers;
}

void read_region(ReadContext& context, const Item& item, const std::string& name,
                 const Place& key_place, models::CableCell& cell, CellInfo& info,
                 Diameters& diameters) {
  models::RegionSettings settings;
  MapReader map(item, "a region");
  if (!map.is_map()) return;
  const auto of = map.find("of");
  const auto distance = map.find("distance");
  const auto optional = map.find("optional");
  const auto cm = map.find("cm");
  const auto ra = map.find("Ra");
  const auto diam = map.find("diam");
  const auto v_init = map.find("v_init");
  const auto discretization = map.find("discretization");
  const auto ions = map.find("ions");
  const auto layers = map.find("extracellular");
  const bool may_lack = optional && optional->boolean().value_or(true);
  const auto region = read_region_name(map, name, key_place, of, distance, may_lack, info);
  const auto mechanisms_before = info.density_mechanisms;
  const auto ions_before = info.ions;
  if (info.shape.is_given())
    for (const auto& change : {ra, diam, discretization})
      if (change)
        change->error("the compartments of this cell are given, and nothing changes them");
  const std::string cuts =
      "compartments are cut by cm and Ra, so these cannot be drawn for each (r is one draw a cell)";
  if (cm)
    settings.cm_uF_per_cm2 = read_value(
        context, *cm, Slot::of("uF/cm2").at_least(0).at_most(1e6).varying_but_not_drawn(cuts));
  if (ra)
    settings.Ra_ohm_cm = read_value(
        context, *ra, Slot::of("ohm.cm").more_than(0).at_most(1e9).varying_but_not_drawn(cuts));
  if (layers) settings.layers = read_layers(context, *layers);
  settings.begins_at_rest = v_init && is_rest(*v_init);
  if (settings.begins_at_rest && info.shape.drawn)
    v_init->error("each cell draws its own random tree, so there is no rest of all of them");
  if (v_init && !settings.begins_at_rest)
    settings.v_init_mV = read_value(context, *v_init,
                                    Slot::of("mV").at_least(-1000).at_most(1000).varying_in_cell());
  const auto diameter = diam ? diameters.read(*diam) : std::nullopt;
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
  if (diameter) diameters.set(*region, *diameter, *diam);
  settings.region = *region;
  cell.regions.push_back(std::move(settings));
}

/// Currents of density mechanisms pass through the membrane, where it has layers.
void refuse_electrodes_around(const ReadContext& context, const Item& item,
                              const models::CableCell& cell) {
  for (const models::RegionSettings& region : cell.regions)
    for (const models::MechanismUse& use : region.mechanisms)
      if (context.signatures.at(use.name).is_electrode)
        item.error_at(use.place,
                      fmt::format("{} is an electrode all along a membrane, which is not there yet "
                                  "for cells with extracellular layers; a point process may be one",
                                  use.name));
}

}  // namespace

void read_regions(ReadContext& context, const Item& item, models::CableCell& cell, CellInfo& info) {
  if (!item.is_map()) return item.wrong_form("a map of regions");
  context.shape = &info.shape;
  Diameters diameters(context);
  for (const auto& entry : item.node().entries)
    read_region(context, {*entry.value, item.path() + '.' + entry.key, context.diagnostics},
                entry.key, entry.place(), cell, info, diameters);
  context.shape = nullptr;
  info.layers = cell.layer_count();
  if (info.layers > 0) refuse_electrodes_around(context, item, cell);
  diameters.apply(cell.morphology);
}

}  // namespace hillock::io
