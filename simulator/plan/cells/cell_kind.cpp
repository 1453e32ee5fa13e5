#include "simulator/plan/cells/cell_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "models/region_index.hpp"
#include "simulator/plan/cells/draw_name.hpp"
#include "simulator/step/nernst.hpp"

namespace hillock::simulator {

using mechanisms::SharedQuantity;

namespace {

/// NEURON's defaults for an ion that nobody sets (8.2: nrn/src/nrnoc/eion.c's documented values).
struct IonDefaults {
  double valence;
  double inside_mM;
  double outside_mM;
  double reversal_mV;
};

IonDefaults ion_defaults_of(const std::string& ion) {
  if (ion == "na") return {1, 10, 140, 50};
  if (ion == "k") return {1, 54.4, 2.5, -77};
  if (ion == "ca") return {2, 5e-5, 2, 132.4579341637009};
  if (ion == "cl") return {-1, 1, 1, 0};
  return {1, 1, 1, 0};
}

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

/// A density mechanism and where regions put it, in their order.
struct PaintedDensity {
  struct Coat {
    std::size_t region;  ///< in the cell's list
    const models::MechanismUse* use;
  };
  const mechanisms::Mechanism* mechanism = nullptr;
  std::vector<Coat> coats;
};

PaintedDensity& painted_with(std::vector<PaintedDensity>& painted, const models::MechanismUse& use,
                             const mechanisms::Registry& mechanisms) {
  for (PaintedDensity& density : painted)
    if (density.mechanism->signature.name == use.name) return density;
  const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms);
  painted.push_back({&mechanism, {}});
  return painted.back();
}

/// What regions select of a cell.
class RegionNodes {
 public:
  RegionNodes(const std::vector<models::RegionSettings>& regions, const solver::Template& cell)
      : regions_(regions), cell_(cell), branches_(regions.size()) {
    const models::RegionIndex index(regions);
    std::vector<std::size_t> here;
    for (std::size_t b = 0; b < cell.branches.size(); ++b) {
      index.find(cell.name_of(b).region, cell.name_of(b).name, here);
      for (const std::size_t region : here) branches_[region].push_back(b);
    }
  }

  /// Calls body(node) for every compartment of a region, in rising order.
  template <class Body>
  void for_each(std::size_t region, const Body& body) const {
    for (const std::size_t b : branches_[region])
      solver::for_each_in(regions_[region].region, cell_, b, body);
  }

 private:
  const std::vector<models::RegionSettings>& regions_;
  const solver::Template& cell_;
  std::vector<std::vector<std::size_t>> branches_;  ///< [region]
};

/// Where a mechanism is once all regions are painted over each other: parameters that are given
/// replace those given before.
DensityPlacement placement_of(const PaintedDensity& density, const RegionNodes& regions,
                              std::size_t node_count) {
  std::vector<int> slot(node_count, -1);  // [node] its number among those of the mechanism
  for (const auto& coat : density.coats)
    regions.for_each(coat.region,
                     [&](NodeId node) { slot[static_cast<std::size_t>(node.value)] = 0; });
  std::vector<int> nodes;
  for (std::size_t node = 0; node < node_count; ++node)
    if (slot[node] == 0) {
      slot[node] = static_cast<int>(nodes.size());
      nodes.push_back(static_cast<int>(node));
    }
  SetValues values(density.mechanism->signature.variables.size());
  for (const auto& coat : density.coats) {
    if (coat.use->parameters.empty()) continue;
    std::vector<int> over;
    regions.for_each(coat.region, [&](NodeId node) {
      over.push_back(slot[static_cast<std::size_t>(node.value)]);
    });
    if (over.empty()) continue;
    for (const auto& [name, value] : coat.use->parameters) {
      const auto variable = static_cast<std::size_t>(density.mechanism->column(name));
      if (over.size() == nodes.size())
        values.set_all(variable, value);
      else
        values.set_some(variable, value, over, nodes.size());
    }
  }
  return {density.mechanism, std::move(nodes),
          std::make_shared<const SetValues>(std::move(values))};
}

void set_ion(CellKind& kind, const RegionNodes& regions, std::size_t region,
             const models::IonSetting& setting) {
  auto& nodes = kind.ions[setting.ion];
  nodes.resize(kind.cell->node_count());
  regions.for_each(region, [&](NodeId node) {
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
  for (const solver::DiscreteBranch& branch : cell.branches)
    values[static_cast<std::size_t>(branch.end_node)] =
        values[static_cast<std::size_t>(cell.parent[static_cast<std::size_t>(branch.end_node)])];
  values[0] = values[static_cast<std::size_t>(cell.branches[0].first_node)];
}

}  // namespace

bool split_ion_variable(const std::string& variable, std::string& ion, SharedQuantity& quantity) {
  if (variable.size() < 2) return false;
  if (variable.front() == 'i' || variable.front() == 'e') {
    quantity = variable.front() == 'i' ? SharedQuantity::current : SharedQuantity::reversal;
    ion = variable.substr(1);
    return true;
  }
  if (variable.back() == 'i' || variable.back() == 'o') {
    quantity = variable.back() == 'i' ? SharedQuantity::inside : SharedQuantity::outside;
    ion = variable.substr(0, variable.size() - 1);
    return true;
  }
  return false;
}

double CellKind::shared_value(const mechanisms::Coupling& coupling, NodeId node,
                              const CellIdentity& cell_id, double thermal_mV) const {
  const auto n = static_cast<std::size_t>(node.value);
  switch (coupling.quantity) {
    case SharedQuantity::area:
      return cell->area_um2(n) > 0 ? cell->area_um2(n) : end_node_area_um2;
    case SharedQuantity::diameter:
      return cell->diameter_um(n);
    case SharedQuantity::pointer:
      return -1;  // of no target
    case SharedQuantity::stream:
      return 0;  // known once all instances are
    default:
      return ion_value(coupling.ion, coupling.quantity, node, cell_id, thermal_mV);
  }
}

namespace {

IonAtNode settings_at(const CellKind& kind, const std::string& ion, NodeId node) {
  const auto settings = kind.ions.find(ion);
  return settings == kind.ions.end() ? IonAtNode{}
                                     : settings->second[static_cast<std::size_t>(node.value)];
}

}  // namespace

bool CellKind::has_ion_default(const mechanisms::Coupling& coupling) const {
  switch (coupling.quantity) {
    case SharedQuantity::reversal:
      return !ions.contains(coupling.ion) && !uses_concentration.contains(coupling.ion);
    case SharedQuantity::inside:
    case SharedQuantity::outside:
      return !ions.contains(coupling.ion);
    default:
      return false;
  }
}

bool CellKind::follows_concentrations(const std::string& ion, NodeId node) const {
  const IonAtNode here = settings_at(*this, ion, node);
  if (here.reversal == models::IonSetting::Reversal::nernst) return true;
  if (here.reversal_mV || here.reversal == models::IonSetting::Reversal::ghk) return false;
  const auto used = uses_concentration.find(ion);
  return used != uses_concentration.end() && used->second[static_cast<std::size_t>(node.value)];
}

double CellKind::nernst_factor_mV(const std::string& ion, double thermal_mV) const {
  const auto valence = valences.find(ion);
  const double z = valence == valences.end() ? ion_defaults_of(ion).valence : valence->second;
  return thermal_mV / z;
}

double CellKind::ion_value(const std::string& ion, SharedQuantity quantity, NodeId node,
                           const CellIdentity& cell_id, double thermal_mV) const {
  if (quantity == SharedQuantity::current) return 0;
  const IonDefaults defaults = ion_defaults_of(ion);
  const IonAtNode here = settings_at(*this, ion, node);
  const auto value_or = [&](const models::Value* value, double fallback, const char* what) {
    return value ? evaluate_at(*value, *cell, node, cell_id, {ion, what}) : fallback;
  };
  const double inside = value_or(here.inside_mM, defaults.inside_mM, ".inside");
  const double outside = value_or(here.outside_mM, defaults.outside_mM, ".outside");
  if (quantity == SharedQuantity::inside) return inside;
  if (quantity == SharedQuantity::outside) return outside;
  const auto positive = [&](const models::Value* value, double concentration) {
    // Numbers by compartment are taken as they are: they are where another program stands.
    if (value && !(concentration > 0) &&
        !std::holds_alternative<models::CompartmentRows>(value->content()))
      reject(value->place(), fmt::format("the concentration of {} is {:.6g} mM at {} (it must be "
                                         "positive)",
                                         ion, concentration, cell->describe(node)));
  };
  if (here.reversal == models::IonSetting::Reversal::ghk)
    reject(here.setting->place,
           fmt::format("{} has no reversal potential at {} (`reversal: ghk`), but a mechanism or a "
                       "recording there asks for it",
                       ion, cell->describe(node)));
  if (follows_concentrations(ion, node)) {
    positive(here.inside_mM, inside);
    positive(here.outside_mM, outside);
    if (inside > 0 && outside > 0)
      return nernst_factor_mV(ion, thermal_mV) * std::log(outside / inside);
    return step::nernst_mV(nernst_factor_mV(ion, thermal_mV), inside, outside);
  }
  return value_or(here.reversal_mV, defaults.reversal_mV, ".reversal");
}

double evaluate_at(const models::Value& value, const solver::Template& cell, NodeId node,
                   const CellIdentity& identity, std::initializer_list<std::string_view> what) {
  if (const auto* constant = std::get_if<double>(&value.content())) return *constant;
  const auto whose = [&] { return identity.name() + " at " + cell.describe(node); };
  if (value.has_places())
    return value.at(cell.piece_at(node), static_cast<double>(identity.index), whose);
  const solver::NodeLocation& location = cell.location(static_cast<std::size_t>(node.value));
  Bindings bindings;
  bindings.index = static_cast<double>(identity.index);
  bindings.size = static_cast<double>(identity.population_size);
  bindings.distance_um = location.distance_um;
  bindings.x_um = location.x_um;
  bindings.y_um = location.y_um;
  bindings.z_um = location.z_um;
  bindings.diam_um = cell.diameter_um(static_cast<std::size_t>(node.value));
  bindings.r = identity.r;
  const bool is_drawn = std::holds_alternative<models::Distribution>(value.content());
  RandomStream draws(identity.seed, Purpose::parameter,
                     {identity.id.value, is_drawn ? DrawName(what).hash() : 0,
                      static_cast<std::uint64_t>(node.value)});
  return value.evaluate(bindings, draws, whose);
}

const models::Value* at_rest() {
  static const models::Value mark;
  return &mark;
}

std::size_t SetValues::bytes() const {
  std::size_t bytes = sizeof(SetValues) + bytes_of(of_);
  for (const Column& column : of_) bytes += bytes_of(column);
  return bytes;
}

std::size_t CellKind::bytes() const {
  std::size_t bytes = sizeof(CellKind) + cell->own_bytes() + bytes_of(densities) +
                      bytes_of(v_init_mV) + ends_in_use.capacity() / 8;
  for (const DensityPlacement& density : densities) {
    bytes += bytes_of(density.nodes);
    if (!density.values->are_ones()) bytes += density.values->bytes();
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

solver::CutFor CellIdentity::cut_for() const {
  Bindings bindings;
  bindings.index = static_cast<double>(index);
  bindings.size = static_cast<double>(population_size);
  bindings.r = r;
  return {bindings, name()};
}

namespace {

/// Lays the cell's regions over what it is cut into.
CellKind with_membrane(const models::CableCell& model, solver::Template cell,
                       const mechanisms::Registry& mechanisms) {
  CellKind kind;
  kind.model = &model;
  kind.cell = std::make_shared<const solver::Template>(std::move(cell));
  const RegionNodes regions(model.regions, *kind.cell);
  std::vector<PaintedDensity> painted;
  for (std::size_t i = 0; i < model.regions.size(); ++i) {
    const models::RegionSettings& settings = model.regions[i];
    for (const auto& use : settings.mechanisms)
      painted_with(painted, use, mechanisms).coats.push_back({i, &use});
    for (const auto& setting : settings.ions) set_ion(kind, regions, i, setting);
    if (!settings.v_init_mV && !settings.begins_at_rest) continue;
    kind.v_init_mV.resize(kind.cell->node_count(), nullptr);
    regions.for_each(i, [&](NodeId node) {
      kind.v_init_mV[static_cast<std::size_t>(node.value)] =
          settings.begins_at_rest ? at_rest() : &*settings.v_init_mV;
    });
  }
  if (!kind.v_init_mV.empty()) extend_to_ends(*kind.cell, kind.v_init_mV);
  for (const PaintedDensity& density : painted)
    kind.densities.push_back(placement_of(density, regions, kind.cell->node_count()));
  note_ions(kind);
  return kind;
}

}  // namespace

CellKind make_cell_kind(const models::CableCell& model, const models::Morphology& morphology,
                        const mechanisms::Registry& mechanisms, const solver::CutFor& of) {
  return with_membrane(model, solver::discretise(morphology, model, of), mechanisms);
}

CellKind make_variant(const CellKind& made, const models::Morphology& morphology,
                      const mechanisms::Registry& mechanisms, const solver::CutFor& of,
                      solver::Lengths alike_with) {
  solver::Template cell = solver::discretise(morphology, *made.model, of);
  if (!solver::share_nodes(cell, made.cell, alike_with))
    return with_membrane(*made.model, std::move(cell), mechanisms);
  CellKind kind = made;
  kind.cell = std::make_shared<const solver::Template>(std::move(cell));
  return kind;
}

namespace {

/// [node] of a cell what [node] of the path it is like has.
template <class T>
std::vector<T> as_on_path(const std::vector<T>& path, const solver::Template& cell) {
  std::vector<T> here;
  if (path.empty()) return here;
  here.reserve(cell.node_count());
  for (std::size_t n = 0; n < cell.node_count(); ++n) here.push_back(path[cell.slot_of(n)]);
  return here;
}

DensityPlacement as_on_path(const DensityPlacement& path, std::size_t path_nodes,
                            const solver::Template& cell) {
  DensityPlacement here{path.mechanism, {}, path.values};
  const bool ones = path.values->are_ones();
  std::vector<std::size_t> like;  // [i] among the path's, unless all have the same values
  std::vector<int> before(path_nodes + 1, 0);  // so many of the path's lie before a node
  for (const int node : path.nodes) ++before[static_cast<std::size_t>(node) + 1];
  std::partial_sum(before.begin(), before.end(), before.begin());
  here.nodes.reserve(cell.node_count());
  for (const solver::DiscreteBranch& branch : cell.branches) {
    const std::size_t first = cell.slot_of(static_cast<std::size_t>(branch.first_node));
    const auto begin = static_cast<std::size_t>(before[first]);
    const auto end =
        static_cast<std::size_t>(before[first + static_cast<std::size_t>(branch.compartments)]);
    const int shift = branch.first_node - static_cast<int>(first);
    for (std::size_t i = begin; i < end; ++i) {
      here.nodes.push_back(path.nodes[i] + shift);
      if (!ones) like.push_back(i);
    }
  }
  if (ones) return here;
  SetValues values(path.values->size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (path.values->is_default(c)) continue;
    std::vector<const models::Value*> column;
    column.reserve(here.nodes.size());
    for (const std::size_t i : like) column.push_back((*path.values)(c, i));
    values.set(c, std::move(column));
  }
  here.values = std::make_shared<const SetValues>(std::move(values));
  return here;
}

}  // namespace

CellKind compose_kind(const CellKind& path, std::shared_ptr<const solver::Template> cell) {
  CellKind kind;
  kind.model = path.model;
  kind.valences = path.valences;
  kind.densities.reserve(path.densities.size());
  for (const DensityPlacement& density : path.densities)
    kind.densities.push_back(as_on_path(density, path.cell->node_count(), *cell));
  for (const auto& [ion, nodes] : path.ions) kind.ions[ion] = as_on_path(nodes, *cell);
  for (const auto& [ion, nodes] : path.uses_concentration)
    kind.uses_concentration[ion] = as_on_path(nodes, *cell);
  kind.v_init_mV = as_on_path(path.v_init_mV, *cell);
  kind.cell = std::move(cell);
  return kind;
}

}  // namespace hillock::simulator
