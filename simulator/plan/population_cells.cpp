#include "simulator/plan/population_cells.hpp"

#include <algorithm>
#include <numeric>

#include "core/errors.hpp"
#include "simulator/parallel.hpp"
#include "solver/cable/ordered_tree.hpp"

namespace hillock::simulator {

namespace {

/// Cells in their order, or those of like shape together.
std::vector<std::uint64_t> order_of(const std::vector<const CellKind*>& kinds, int threads) {
  std::vector<std::uint64_t> order(kinds.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (kinds.empty() || kinds.front() == kinds.back()) return order;
  std::vector<std::vector<int>> shapes(kinds.size());
  parallel_for(kinds.size(), threads,
               [&](std::size_t i) { shapes[i] = solver::shape_of(*kinds[i]->cell); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return shapes[a] < shapes[b]; });
  return order;
}

std::shared_ptr<const PopulationPlan> plan_of(const models::Network& network,
                                              PopulationId population) {
  const models::Population& model = network.populations[population.value];
  const models::Cell& cell = network.cells[model.cell];
  auto plan = std::make_shared<PopulationPlan>();
  plan->id = population;
  plan->name = model.name;
  plan->size = model.size;
  plan->first = network.first_cell(population);
  plan->cable = &body_of(cell);
  plan->is_artificial = std::holds_alternative<models::ArtificialCell>(cell.kind);
  plan->seed = network.run.seed;
  plan->celsius = network.run.temperature_degC;
  plan->v_init_mV = network.run.v_init_mV;
  plan->detects = plan->cable->detector.has_value();
  if (plan->detects) plan->threshold_mV = plan->cable->detector->threshold_mV;
  return plan;
}

}  // namespace

const models::CableCell& body_of(const models::Cell& cell) {
  if (const auto* cable = std::get_if<models::CableCell>(&cell.kind)) return *cable;
  if (!std::holds_alternative<models::ArtificialCell>(cell.kind))
    reject(cell.place, "a point neuron has no cable");
  static const models::CableCell bare = [] {
    models::Branch branch{"cell", "cell", -1, 1, {}, 1};
    branch.points = {{0, 0, 0, 10}, {10, 0, 0, 10}};
    models::CableCell body;
    body.morphology = models::Morphology{{branch}};
    return body;
  }();
  return bare;
}

CellMaker::CellMaker(const models::Network& network, const mechanisms::Registry& mechanisms)
    : network_(network), mechanisms_(mechanisms) {}

PopulationCells CellMaker::make(PopulationId population, network::CellSpan cells, int threads,
                                Activity& progress) {
  PopulationCells made;
  made.plan = plan_of(network_, population);
  const models::CableCell& cable = *made.plan->cable;
  const auto& ends = ends_used(cable);
  std::vector<const CellKind*> kinds(cells.size());
  if (const auto* tree = std::get_if<models::RandomTree>(&cable.morphology)) {
    std::vector<CellKind>& own = kinds_.emplace_back(cells.size());
    parallel_for(cells.size(), threads, [&](std::size_t i) {
      const CellId id(made.plan->first.value + cells.begin + i);
      own[i] = make_kind(cable, models::grow(*tree, network_.run.seed, id), ends);
      kinds[i] = &own[i];
      progress.add(1);
    });
  } else {
    const CellKind*& shared = shared_kinds_[&cable];
    if (!shared && cells.size() > 0) {
      auto& own = kinds_.emplace_back();
      own.push_back(make_kind(cable, std::get<models::Morphology>(cable.morphology), ends));
      shared = &own.front();
    }
    std::fill(kinds.begin(), kinds.end(), shared);
    progress.add(cells.size());
  }
  for (const std::uint64_t i : order_of(kinds, threads)) {
    made.indices.push_back(cells.begin + i);
    made.kinds.push_back(kinds[i]);
  }
  return made;
}

/// Where the model puts or records something that may be at a zero-area node of such a cell.
const std::vector<const models::Locations*>& CellMaker::ends_used(const models::CableCell& cable) {
  const auto known = ends_used_.find(&cable);
  if (known != ends_used_.end()) return known->second;
  auto& used = ends_used_[&cable];
  const auto add = [&](const models::Locations& at) {
    using Kind = models::Locations::Kind;
    if (at.kind == Kind::tips ||
        (at.kind == Kind::position && (at.position <= 0 || at.position >= 1)))
      used.push_back(&at);
  };
  const auto is_here = [&](PopulationId population) {
    const auto& cell = network_.cells[network_.populations[population.value].cell];
    return std::get_if<models::CableCell>(&cell.kind) == &cable;
  };
  if (cable.detector) add(cable.detector->at);
  for (const auto& projection : network_.projections)
    if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
      if (is_here(projection.to.population)) add(synapse->at);
  for (const auto& stimulus : network_.stimuli) {
    if (!is_here(stimulus.to.population)) continue;
    if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind)) add(clamp->at);
    if (const auto* clamp = std::get_if<models::VoltageClamp>(&stimulus.kind)) add(clamp->at);
    if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
      add(placed->point.at);
    if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
      add(events->synapse.at);
  }
  for (const auto& recording : network_.recordings)
    if (recording.variable && is_here(recording.of.population)) add(recording.at);
  return used;
}

CellKind CellMaker::make_kind(const models::CableCell& cable, const models::Morphology& morphology,
                              const std::vector<const models::Locations*>& ends) const {
  CellKind kind = make_cell_kind(cable, morphology, mechanisms_);
  for (const models::Locations* at : ends) {
    try {
      RandomStream none(0, Purpose::place, {});
      for (const NodeId node : solver::resolve(*kind.cell, *at, none)) {
        kind.ends_in_use.resize(kind.cell->node_count());
        kind.ends_in_use[static_cast<std::size_t>(node.value)] = true;
      }
    } catch (const InvalidModel&) {  // reported where something is put there
    }
  }
  return kind;
}

}  // namespace hillock::simulator
