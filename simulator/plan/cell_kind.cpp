#include "simulator/plan/cell_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/errors.hpp"
#include "core/memory_size.hpp"
#include "simulator/plan/draw_name.hpp"

namespace hillock::simulator {

using mechanisms::PlaceQuantity;

namespace {

/// NEURON's defaults for an ion that nobody sets (8.2: nrn/src/nrnoc/eion.c's documented values).
struct IonDefaults {
  double valence;
  double inside_mM;
  double outside_mM;
  double reversal_mV;
};

IonDefaults ion_defaults(const std::string& ion) {
  if (ion == "na") return {1, 10, 140, 50};
  if (ion == "k") return {1, 54.4, 2.5, -77};
  if (ion == "ca") return {2, 5e-5, 2, 132.4579341637009};
  if (ion == "cl") return {-1, 1, 1, 0};
  return {1, 1, 1, 0};
}

constexpr double gas_constant = 8.31446261815324;      // J / (mol K), CODATA 2018
constexpr double faraday_constant = 96485.3321233100;  // C / mol, CODATA 2018

/// What mechanisms say of ions: valences, and where they work with concentrations.
void note_ions(CellKind& kind) {
  for (const DensityPlacement& density : kind.densities)
    for (const IonUse& use : density.mechanism->signature.ions) {
      if (use.valence != 0) kind.valences[use.ion] = use.valence;
      if (!(use.reads_inside || use.reads_outside || use.writes_inside || use.writes_outside))
        continue;
      auto& nodes = kind.uses_concentration[use.ion];
      nodes.resize(kind.cell->node_count());
      for (const int node : density.nodes) nodes[static_cast<std::size_t>(node)] = true;
    }
}

DensityPlacement& placement_of(CellKind& kind, const models::MechanismUse& use,
                               const mechanisms::Registry& mechanisms) {
  for (auto& placement : kind.densities)
    if (placement.mechanism->signature.name == use.name) return placement;
  const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms);
  kind.densities.push_back({&mechanism, {}, {}});
  kind.densities.back().values.resize(mechanism.signature.variables.size());
  return kind.densities.back();
}

std::vector<int> nodes_of(const models::Region& region, const CellKind& kind) {
  std::vector<int> nodes;
  nodes.reserve(kind.cell->node_count());
  solver::for_each_in(region, *kind.cell, [&](NodeId node) { nodes.push_back(node.value); });
  return nodes;
}

/// Adds nodes to a placement; columns that say something say nothing new of them.
void add_nodes(DensityPlacement& placement, const std::vector<int>& nodes) {
  std::vector<int> all;
  all.reserve(placement.nodes.size() + nodes.size());
  std::ranges::set_union(placement.nodes, nodes, std::back_inserter(all));
  for (auto& column : placement.values) {
    if (column.empty()) continue;
    std::vector<const models::Value*> now(all.size(), nullptr);
    for (std::size_t i = 0, k = 0; i < all.size() && k < column.size(); ++i)
      if (all[i] == placement.nodes[k]) now[i] = column[k++];
    column = std::move(now);
  }
  placement.nodes = std::move(all);
}

/// Paints one mechanism over a region: parameters that are given replace those painted before.
void paint(CellKind& kind, const models::Region& region, const models::MechanismUse& use,
           const mechanisms::Registry& mechanisms) {
  DensityPlacement& placement = placement_of(kind, use, mechanisms);
  std::vector<int> nodes = nodes_of(region, kind);
  if (nodes.empty()) return;
  if (placement.nodes.empty())
    placement.nodes = nodes;
  else
    add_nodes(placement, nodes);
  for (const auto& [name, value] : use.parameters) {
    auto& column = placement.values[static_cast<std::size_t>(placement.mechanism->column(name))];
    if (nodes.size() == placement.nodes.size()) {
      column.assign(nodes.size(), &value);
      continue;
    }
    column.resize(placement.nodes.size());
    for (std::size_t i = 0, k = 0; k < nodes.size(); ++i)
      if (placement.nodes[i] == nodes[k]) {
        column[i] = &value;
        ++k;
      }
  }
}

void set_ion(CellKind& kind, const models::Region& region, const models::IonSetting& setting) {
  auto& nodes = kind.ions[setting.ion];
  nodes.resize(kind.cell->node_count());
  solver::for_each_in(region, *kind.cell, [&](NodeId node) {
    IonAtNode& here = nodes[static_cast<std::size_t>(node.value)];
    if (setting.inside_mM) here.inside_mM = &*setting.inside_mM;
    if (setting.outside_mM) here.outside_mM = &*setting.outside_mM;
    if (setting.reversal_mV) here.reversal_mV = &*setting.reversal_mV;
    here.reversal = setting.reversal;
    here.setting = &setting;
  });
}

/// A zero-area node takes its initial voltage from the compartment beside it.
void extend_to_ends(const solver::Template& cell, std::vector<const models::Value*>& values) {
  for (const auto& branch : cell.branches)
    values[static_cast<std::size_t>(branch.end_node)] =
        values[static_cast<std::size_t>(cell.parent[static_cast<std::size_t>(branch.end_node)])];
  values[0] = values[static_cast<std::size_t>(cell.branches[0].first_node)];
}

}  // namespace

bool split_ion_variable(const std::string& variable, std::string& ion, PlaceQuantity& quantity) {
  if (variable.size() < 2) return false;
  if (variable.front() == 'i' || variable.front() == 'e') {
    quantity = variable.front() == 'i' ? PlaceQuantity::current : PlaceQuantity::reversal;
    ion = variable.substr(1);
    return true;
  }
  if (variable.back() == 'i' || variable.back() == 'o') {
    quantity = variable.back() == 'i' ? PlaceQuantity::inside : PlaceQuantity::outside;
    ion = variable.substr(0, variable.size() - 1);
    return true;
  }
  return false;
}

double CellKind::place_value(const mechanisms::Coupling& coupling, NodeId node,
                             const CellIdentity& cell_id, double celsius) const {
  const auto n = static_cast<std::size_t>(node.value);
  switch (coupling.quantity) {
    case PlaceQuantity::area:
      return cell->area_um2[n] > 0 ? cell->area_um2[n] : end_node_area_um2;
    case PlaceQuantity::diameter:
      return cell->diameter_um[n];
    case PlaceQuantity::pointer:
      return -1;  // of no target
    case PlaceQuantity::stream:
      return 0;  // known once all instances are
    default:
      return ion_value(coupling.ion, coupling.quantity, node, cell_id, celsius);
  }
}

namespace {

IonAtNode settings_at(const CellKind& kind, const std::string& ion, NodeId node) {
  const auto settings = kind.ions.find(ion);
  return settings == kind.ions.end() ? IonAtNode{}
                                     : settings->second[static_cast<std::size_t>(node.value)];
}

}  // namespace

bool CellKind::follows_concentrations(const std::string& ion, NodeId node) const {
  const IonAtNode here = settings_at(*this, ion, node);
  if (here.reversal == models::IonSetting::Reversal::nernst) return true;
  if (here.reversal_mV || here.reversal == models::IonSetting::Reversal::ghk) return false;
  const auto used = uses_concentration.find(ion);
  return used != uses_concentration.end() && used->second[static_cast<std::size_t>(node.value)];
}

double CellKind::nernst_factor_mV(const std::string& ion, double celsius) const {
  const auto valence = valences.find(ion);
  const double z = valence == valences.end() ? ion_defaults(ion).valence : valence->second;
  return 1000 * gas_constant * (celsius + 273.15) / (z * faraday_constant);
}

double CellKind::ion_value(const std::string& ion, PlaceQuantity quantity, NodeId node,
                           const CellIdentity& cell_id, double celsius) const {
  if (quantity == PlaceQuantity::current) return 0;
  const IonDefaults defaults = ion_defaults(ion);
  const IonAtNode here = settings_at(*this, ion, node);
  const auto value_or = [&](const models::Value* value, double fallback, const char* what) {
    return value ? evaluate_at(*value, *cell, node, cell_id, {ion, what}) : fallback;
  };
  const double inside = value_or(here.inside_mM, defaults.inside_mM, ".inside");
  const double outside = value_or(here.outside_mM, defaults.outside_mM, ".outside");
  if (quantity == PlaceQuantity::inside) return inside;
  if (quantity == PlaceQuantity::outside) return outside;
  const auto positive = [&](const models::Value* value, double concentration) {
    if (value && !(concentration > 0))
      reject(value->place(), fmt::format("the concentration of {} is {:.6g} mM at {} (it must be "
                                         "positive)",
                                         ion, concentration, cell->describe(node)));
  };
  positive(here.inside_mM, inside);
  positive(here.outside_mM, outside);
  if (here.reversal == models::IonSetting::Reversal::ghk)
    reject(here.setting->place,
           fmt::format("{} has no reversal potential at {} (`reversal: ghk`), but a mechanism or a "
                       "recording there asks for it",
                       ion, cell->describe(node)));
  if (follows_concentrations(ion, node))
    return nernst_factor_mV(ion, celsius) * std::log(outside / inside);
  return value_or(here.reversal_mV, defaults.reversal_mV, ".reversal");
}

double evaluate_at(const models::Value& value, const solver::Template& cell, NodeId node,
                   const CellIdentity& identity, std::initializer_list<std::string_view> what) {
  if (const auto* constant = std::get_if<double>(&value.content())) return *constant;
  const solver::NodePlace& place = cell.places[static_cast<std::size_t>(node.value)];
  Bindings bindings;
  bindings.index = static_cast<double>(identity.index);
  bindings.size = static_cast<double>(identity.population_size);
  bindings.distance_um = place.distance_um;
  bindings.x_um = place.x_um;
  bindings.y_um = place.y_um;
  bindings.z_um = place.z_um;
  bindings.r = identity.r;
  const bool is_drawn = std::holds_alternative<models::Distribution>(value.content());
  RandomStream draws(identity.seed, Purpose::parameter,
                     {identity.id.value, is_drawn ? DrawName(what).hash() : 0,
                      static_cast<std::uint64_t>(node.value)});
  return value.evaluate(bindings, draws,
                        [&] { return identity.name() + " at " + cell.describe(node); });
}

std::size_t CellKind::bytes() const {
  const solver::Template& shape = *cell;
  std::size_t bytes = sizeof(CellKind) + sizeof(solver::Template) + bytes_of(shape.branches) +
                      bytes_of(shape.parent) + bytes_of(shape.coupling_uS) +
                      bytes_of(shape.area_um2) + bytes_of(shape.diameter_um) +
                      bytes_of(shape.capacitance_nF) + bytes_of(shape.places) +
                      bytes_of(densities) + bytes_of(v_init_mV) + ends_in_use.capacity() / 8;
  for (const DensityPlacement& density : densities) {
    bytes += bytes_of(density.nodes) + bytes_of(density.values);
    for (const auto& column : density.values) bytes += bytes_of(column);
  }
  for (const auto& [ion, nodes] : ions) bytes += bytes_of(nodes);
  for (const auto& [ion, nodes] : uses_concentration) bytes += nodes.capacity() / 8;
  return bytes;
}

std::string CellIdentity::name() const {
  return fmt::format("{}[{}]", population, index);
}

const mechanisms::Mechanism& mechanism_of(const models::MechanismUse& use,
                                          const mechanisms::Registry& mechanisms) {
  const mechanisms::Mechanism* mechanism = mechanisms.find(use.name);
  if (!mechanism) reject(use.place, "no mechanism is called '" + use.name + "'");
  return *mechanism;
}

CellKind make_cell_kind(const models::CableCell& model, const models::Morphology& morphology,
                        const mechanisms::Registry& mechanisms) {
  CellKind kind;
  kind.model = &model;
  kind.cell = std::make_shared<const solver::Template>(solver::discretise(morphology, model));
  for (const auto& settings : model.regions) {
    for (const auto& use : settings.mechanisms) paint(kind, settings.region, use, mechanisms);
    for (const auto& setting : settings.ions) set_ion(kind, settings.region, setting);
    if (!settings.v_init_mV) continue;
    kind.v_init_mV.resize(kind.cell->node_count(), nullptr);
    solver::for_each_in(settings.region, *kind.cell, [&](NodeId node) {
      kind.v_init_mV[static_cast<std::size_t>(node.value)] = &*settings.v_init_mV;
    });
  }
  if (!kind.v_init_mV.empty()) extend_to_ends(*kind.cell, kind.v_init_mV);
  note_ions(kind);
  return kind;
}

}  // namespace hillock::simulator
