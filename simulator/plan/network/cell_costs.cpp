#include "simulator/plan/network/cell_costs.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "network/expected_connections.hpp"
#include "simulator/plan/network/population_cells.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/threads/activity.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {

namespace {

// What one thing takes of a step, in picoseconds, on one core with AVX2.
constexpr double of_cell = 1000;           // its detector, and its part of a group's work
constexpr double of_compartment = 1300;    // assembly and solution of its row
constexpr double of_constant = 100;        // a mechanism that is eliminated once: pas
constexpr double of_mechanism = 1500;      // an instance of any other, and
constexpr double of_state = 3000;          // each of its states
constexpr double of_linear = 1000;         // an instance of a synapse that only decays
constexpr double of_event = 20'000;        // one that is delivered
constexpr double of_drawn_event = 60'000;  // one of a Poisson train, which is drawn too
constexpr double expected_rate_Hz = 10;    // of a cell's spikes, which nobody knows beforehand

/// Cells that are looked at where those of a population differ.
constexpr std::uint64_t sampled_cells = 32;

double cost_of(const mechanisms::MechanismInfo& info) {
  if (info.is_constant) return of_constant;
  if (info.is_linear && info.is_point_process) return of_linear;
  return of_mechanism + of_state * info.states;
}

/// What a cell of one population has, in the mean.
struct MeanCell {
  double compartments = 0;
  double cost = 0;
};

MeanCell mean_cell(const models::Network& network, const mechanisms::Registry& mechanisms,
                   PopulationId population, CellMaker& maker) {
  Activity unwatched;
  const PopulationCells cells =
      maker.order(population, sample_of(network, population, sampled_cells), 1, unwatched);
  MeanCell mean;
  const auto number = static_cast<double>(cells.indices.size());
  mean.compartments = static_cast<double>(cells.compartments) / number;
  if (const models::MechanismUse* own = mechanism_of_cells(network, population)) {
    mean.cost = (of_cell + cost_of(*mechanism_of(*own, mechanisms).info)) /
                static_cast<double>(network.step_of(population).run_steps);
    return mean;
  }
  mean.cost = of_cell + of_compartment * mean.compartments;
  for (const auto& kind : maker.kinds_of(*cells.plan, cells.indices))
    for (const DensityPlacement& density : kind->densities)
      mean.cost +=
          cost_of(*density.mechanism->info) * static_cast<double>(density.nodes.size()) / number;
  return mean;
}

class PopulationCost {
 public:
  void add(std::uint64_t begin, std::uint64_t end, double of_each) {
    changes_.push_back({begin, of_each});
    changes_.push_back({end, -of_each});
  }
  std::vector<network::CellCost> all(std::uint64_t size) {
    constexpr double most = 0x1p40 - 1;
    std::ranges::stable_sort(changes_, {}, &Change::at);
    std::vector<network::CellCost> costs;
    double cost = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      cost += changes_[i].by;
      const std::uint64_t end = i + 1 < changes_.size() ? changes_[i + 1].at : size;
      if (end > changes_[i].at && changes_[i].at < size)
        costs.push_back(
            {end, static_cast<std::uint64_t>(std::llround(std::clamp(cost, 1.0, most)))});
    }
    return costs;
  }

 private:
  struct Change {
    std::uint64_t at = 0;
    double by = 0;
  };
  std::vector<Change> changes_;
};

/// Of what a projection puts on one of its targets.
double cost_on_target(const models::Network& network, const mechanisms::Registry& mechanisms,
                      std::size_t number, const MeanCell& target) {
  const models::Projection& projection = network.projections[number];
  if (projection.to.size() == 0) return 0;
  const double connections = network::expected_connection_count(network, number) /
                             static_cast<double>(projection.to.size());
  double cost = connections * expected_rate_Hz * 1e-3 * network.run.dt_ms * of_event;
  const auto* synapse = std::get_if<models::Synapse>(&projection.link);
  if (!synapse || synapse->points) return cost;
  const mechanisms::Mechanism& mechanism = mechanism_of(synapse->mechanism, mechanisms);
  const bool alike = std::ranges::all_of(
      synapse->mechanism.parameters, [](const auto& entry) { return entry.second.is_constant(); });
  double instances = connections;
  if (alike && (synapse->shared || can_merge(mechanism))) {
    const bool anywhere = synapse->at.kind == models::Locations::Kind::uniform ||
                          synapse->at.kind == models::Locations::Kind::listed;
    instances = std::min(instances, anywhere ? target.compartments : 1);
  }
  return cost + instances * cost_of(*mechanism.info);
}

/// Of what a stimulus brings to one of its cells; what is not a train costs hardly anything.
double cost_of_train(const models::Network& network, const models::Stimulus& stimulus) {
  const auto* events = std::get_if<models::EventSource>(&stimulus.kind);
  if (!events) return 0;
  const auto* poisson = std::get_if<models::PoissonSource>(&events->source);
  if (!poisson || !poisson->rate_Hz.is_constant()) return 0;
  return poisson->rate_Hz.constant() * 1e-3 * network.run.dt_ms * of_drawn_event;
}

}  // namespace

network::CellSet sample_of(const models::Network& network, PopulationId population,
                           std::uint64_t most) {
  const models::Population& model = network.populations[population.value];
  const auto* cable = std::get_if<models::CableCell>(&network.cells[model.cell].kind);
  const bool alike = !cable || (std::holds_alternative<models::Morphology>(cable->morphology) &&
                                !solver::matrix_varies(*cable));
  const std::uint64_t number = std::min(model.size, alike ? 1 : most);
  if (number == 0) return {};
  return {0, number * (model.size / number), model.size / number};
}

network::CellCosts cell_costs(const models::Network& network,
                              const mechanisms::Registry& mechanisms) {
  CellMaker maker(network, mechanisms, std::make_shared<const OfPopulations>(network));
  std::vector<MeanCell> means(network.populations.size());
  std::vector<PopulationCost> costs(network.populations.size());
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    if (network.populations[p].size == 0) continue;
    means[p] = mean_cell(network, mechanisms, PopulationId(p), maker);
    costs[p].add(0, network.populations[p].size, means[p].cost);
  }
  const auto add = [&](const models::PopulationSlice& to, double cost) {
    if (cost > 0) costs[to.population.value].add(to.begin, to.end, cost);
  };
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::PopulationSlice& to = network.projections[p].to;
    add(to, cost_on_target(network, mechanisms, p, means[to.population.value]));
  }
  for (const models::PointList& points : network.points) {
    const std::uint64_t cells = network.populations[points.on.value].size;
    if (cells > 0)
      add({points.on, 0, cells, {}}, static_cast<double>(points.size()) /
                                         static_cast<double>(cells) *
                                         cost_of(*mechanism_of(points.mechanism, mechanisms).info));
  }
  for (const models::Stimulus& stimulus : network.stimuli)
    add(stimulus.to, cost_of_train(network, stimulus));
  network::CellCosts all;
  for (std::size_t p = 0; p < costs.size(); ++p)
    all.push_back(costs[p].all(network.populations[p].size));
  return all;
}

network::Placement place_cells(const models::Network& network,
                               const mechanisms::Registry& mechanisms, int rank, int ranks) {
  const models::PlacementKind kind = network.run.placement;
  const bool by_cost = kind == models::PlacementKind::cost && ranks > 1;
  return {network, kind, rank, ranks,
          by_cost ? cell_costs(network, mechanisms) : network::CellCosts{}};
}

}  // namespace hillock::simulator
