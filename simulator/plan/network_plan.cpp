#include "simulator/plan/network_plan.hpp"

#include <algorithm>
#include <cmath>

#include "network/expected_connections.hpp"
#include "simulator/parallel.hpp"
#include "simulator/plan/range_builder.hpp"

namespace hillock::simulator {

namespace {

/// Cells that a range of small ones may not be cut below, and a multiple of which it has.
constexpr std::size_t least_cells = 8;

/// Into how many ranges the cells of a rank are cut: enough to keep every thread busy, and to build
/// them one after the other in little memory; a spike costs something for each of them.
std::size_t wanted_ranges(std::uint64_t compartments, std::uint64_t cells, int threads) {
  const bool large = compartments >= 16 * cells;
  return std::max<std::size_t>(16, static_cast<std::size_t>(threads) * (large ? 16 : 4));
}

void cut_into_ranges(const std::vector<PopulationCells>& populations, int threads,
                     NetworkPlan& plan) {
  std::uint64_t cells = 0;
  for (const PopulationCells& population : populations) cells += population.indices.size();
  if (cells == 0) return;
  const std::uint64_t share = (cells + wanted_ranges(plan.compartments, cells, threads) - 1) /
                              wanted_ranges(plan.compartments, cells, threads);
  const std::size_t size = (share + least_cells - 1) / least_cells * least_cells;
  for (const PopulationCells& population : populations)
    for (std::size_t begin = 0; begin < population.indices.size(); begin += size) {
      const std::size_t end = std::min(begin + size, population.indices.size());
      RangePlan& range = plan.ranges.emplace_back();
      range.population = population.plan;
      range.indices.assign(population.indices.begin() + static_cast<std::ptrdiff_t>(begin),
                           population.indices.begin() + static_cast<std::ptrdiff_t>(end));
      range.kinds.assign(population.kinds.begin() + static_cast<std::ptrdiff_t>(begin),
                         population.kinds.begin() + static_cast<std::ptrdiff_t>(end));
    }
}

void make_cells(const models::Network& network, const mechanisms::Registry& mechanisms,
                const PlanOptions& options, NetworkPlan& plan) {
  options.activity->begin("making cells", network.cell_count());
  plan.cells = std::make_unique<CellMaker>(network, mechanisms);
  std::vector<PopulationCells> populations;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const PopulationId id(p);
    populations.push_back(
        plan.cells->make(id, options.placement->cells_of(id), options.threads, *options.activity));
    if (populations.back().plan->is_artificial) continue;  // these have no membrane
    for (const CellKind* kind : populations.back().kinds)
      plan.compartments += kind->cell->compartment_count();
  }
  cut_into_ranges(populations, options.threads, plan);
}

/// Counts what was made.
void count(NetworkPlan& plan) {
  for (const RangePlan& range : plan.ranges) {
    for (const network::FanInTable& table : range.projections) {
      plan.connections += table.connections.size();
      const double shortest = table.connections.shortest_delay_ms();
      if (shortest > 0 && (plan.shortest_delay_ms == 0 || shortest < plan.shortest_delay_ms))
        plan.shortest_delay_ms = shortest;
    }
    for (const network::FanInTable& table : range.stimuli)
      plan.synapses += table.connections.size();
  }
  plan.synapses += plan.connections;
}

}  // namespace

NetworkPlan plan_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                         const PlanOptions& options) {
  NetworkPlan plan;
  plan.run.dt_ms = network.run.dt_ms;
  plan.run.celsius = network.run.temperature_degC;
  plan.run.integrator = network.run.integrator;
  plan.run.spike_time = network.run.spike_time;
  make_cells(network, mechanisms, options, plan);
  RangeSources sources{network, mechanisms, {}};
  sources.connectors.resize(network.projections.size());
  double expected = 0;
  if (options.connections == Connections::made) {
    options.activity->begin("preparing connections");
    for (std::size_t p = 0; p < network.projections.size(); ++p) {
      expected += network::expected_connection_count(network, p);
      sources.connectors[p] = std::make_unique<network::Connector>(network, p);
    }
  }
  options.activity->begin("connecting", static_cast<std::uint64_t>(expected));
  parallel_for(plan.ranges.size(), options.threads,
               [&](std::size_t r) { build_range(sources, plan.ranges[r], *options.activity); });
  count(plan);
  if (options.connections == Connections::expected) expect_projections(network, mechanisms, plan);
  options.activity->begin("placing recordings");
  add_recordings(network, mechanisms, plan);
  return plan;
}

}  // namespace hillock::simulator
