#include "simulator/plan/network/network_plan.hpp"
#include "simulator/plan/range/gap_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/asker.hpp"
#include "network/expected_connections.hpp"
#include "simulator/plan/network/late_spikes.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::simulator {

namespace {

/// The number of cells in a range is a multiple of this, but for a population's last range.
constexpr std::uint64_t step_of_cells = 8;

/// Cuts the cells of all populations, laid in a row, into ranges of like size, and where one
/// population ends.
void cut_into_ranges(const std::vector<PopulationCells>& populations, const PlanOptions& options,
                     NetworkPlan& plan) {
  std::uint64_t all = 0;
  for (const PopulationCells& population : populations) all += population.indices.size();
  const std::uint64_t wanted =
      wanted_ranges(plan.compartments, all, options.threads, options.placement->ranks());
  std::uint64_t before = 0;  // cells of the populations before
  for (const PopulationCells& population : populations) {
    const std::uint64_t cells = population.indices.size();
    std::vector<std::uint64_t> borders{0};
    for (std::uint64_t k = 1; k < wanted; ++k) {
      const std::uint64_t at = all * k / wanted, sliver = all / wanted / 8;
      if (at <= before + sliver || at + sliver >= before + cells) continue;
      const std::uint64_t border = (at - before) / step_of_cells * step_of_cells;
      if (border > borders.back()) borders.push_back(border);
    }
    if (cells > 0) borders.push_back(cells);
    for (std::size_t b = 1; b < borders.size(); ++b) {
      const auto begin = static_cast<std::ptrdiff_t>(borders[b - 1]);
      const auto end = static_cast<std::ptrdiff_t>(borders[b]);
      RangePlan& range = plan.ranges.emplace_back();
      range.population = population.plan;
      range.indices.assign(population.indices.begin() + begin, population.indices.begin() + end);
      range.work = range.cell_count() * std::max<std::uint64_t>(1, population.compartments / cells);
    }
    before += cells;
  }
}

void make_cells(const models::Network& network, const mechanisms::Registry& mechanisms,
                const PlanOptions& options, const std::shared_ptr<const OfPopulations>& of,
                NetworkPlan& plan) {
  options.activity->begin("making cells", options.only ? 0 : network.cell_count());
  plan.cells = std::make_unique<CellMaker>(network, mechanisms, of, options.rest);
  plan.populations.resize(network.populations.size());
  std::vector<PopulationCells> populations;
  const auto add = [&](PopulationId id) {
    const Asker asker(Asked::cells, "population", network.populations[id.value].name);
    populations.push_back(
        plan.cells->order(id, options.placement->cells_of(id), options.threads, *options.activity));
    plan.populations[id.value] = populations.back().plan;
    if (populations.back().plan->is_artificial) return;  // these have no membrane
    plan.compartments += populations.back().compartments;
  };
  if (options.only)
    add(*options.only);
  else
    for (std::uint32_t p = 0; p < network.populations.size(); ++p) add(PopulationId(p));
  cut_into_ranges(populations, options, plan);
}

void draw_gap_junctions(const models::Network& network, const network::Placement& placement,
                        const network::Runner& run, NetworkPlan& plan) {
  std::vector<network::CellSet> here;  // [population]
  for (std::uint32_t p = 0; p < network.populations.size(); ++p)
    here.push_back(placement.cells_of(PopulationId(p)));
  const auto is_here = [&](PopulationId population, std::uint64_t cell) {
    return here[population.value].contains(cell);
  };
  auto gaps = std::make_unique<network::GapTable>(network, plan.sources->connectors, is_here, run);
  plan.gap_junctions = gaps->drawn();
  plan.gap_values = gaps->take_values();
  plan.sources->gaps = std::move(gaps);
}

/// Marks the ranks whose cells project to a range. Returns which of its projections have a source
/// on another rank, [projection of the range].
std::vector<bool> mark_source_ranks(const RangePlan& range, const RangeSources& sources,
                                    RangeMade& made) {
  std::vector<bool> come_from_others(range.projections.size());
  if (sources.placement.ranks() == 1) return come_from_others;
  made.source_ranks.resize(static_cast<std::size_t>(sources.placement.ranks()));
  for (std::size_t t = 0; t < range.projections.size(); ++t) {
    const network::FanInTable& table = range.projections[t];
    const auto [population, first] = sources.network.population_of(CellId(table.first_source));
    table.connections.index().each_source(
        [&, id = population, index = first](std::uint64_t source) {
          const int rank = sources.placement.rank_of(id, index + source);
          made.source_ranks[static_cast<std::size_t>(rank)] = true;
          if (rank != sources.placement.rank()) come_from_others[t] = true;
        });
  }
  return come_from_others;
}

/// Its times are whole steps of the run.
void check_steps_of_plasticity(const models::Network& network,
                               const models::Projection& projection) {
  for (const PopulationId end : {projection.from.population, projection.to.population})
    if (network.step_of(end).run_steps != 1)
      reject(projection.place, fmt::format("{} has a step of its own: plasticity needs the run's",
                                           network.populations[end.value].name));
}

/// 0 is no delay.
void take_shorter(double& shortest_ms, double delay_ms) {
  if (delay_ms > 0 && (shortest_ms == 0 || delay_ms < shortest_ms)) shortest_ms = delay_ms;
}

/// Counts what was made.
RangeMade count(const NetworkPlan& plan, const RangePlan& range) {
  RangeMade made;
  made.population = range.population->id;
  const std::vector<bool> come_from_others = mark_source_ranks(range, *plan.sources, made);
  for (std::size_t t = 0; t < range.projections.size(); ++t) {
    const network::FanInTable& table = range.projections[t];
    made.connections += table.connections.size();
    const auto [shortest, longest] = table.connections.delay_bounds_ms();
    made.longest_delay_ms = std::max(made.longest_delay_ms, longest);
    take_shorter(made.shortest_delay_ms, shortest);
    const PopulationId from = plan.sources->network.projections[table.projection].from.population;
    const bool is_among_points =
        range.population->is_point_neuron && plan.populations[from.value]->is_point_neuron;
    if (!is_among_points || come_from_others[t])
      take_shorter(made.shortest_told_delay_ms, shortest);
  }
  for (const network::FanInTable& table : range.stimuli)
    made.stimulus_synapses += table.connections.size();
  return made;
}

/// Whether some connections lead to synapses that may be at any compartment of a population's
/// cells.
bool has_synapses_anywhere(const models::Network& network, const PopulationPlan& population) {
  if (std::ranges::find(network.points, population.id, &models::PointList::on) !=
      network.points.end())
    return true;
  return std::ranges::any_of(network.projections, [&](const models::Projection& projection) {
    const auto* synapse = std::get_if<models::Synapse>(&projection.link);
    return synapse && projection.to.population == population.id &&
           (synapse->at.kind == models::Locations::Kind::uniform ||
            synapse->at.kind == models::Locations::Kind::listed);
  });
}

/// With the delays of those that come to a range.
std::vector<LateSpikes> late_spikes_onto(const RangePlan& range, const models::Network& network,
                                         std::vector<LateSpikes> late) {
  if (late.empty()) return {};
  for (const network::FanInTable& table : range.projections)
    add_delay(network, table.projection, table.connections.delay_bounds_ms().first, late);
  return late;
}

}  // namespace

NetworkPlan::NetworkPlan() = default;
NetworkPlan::NetworkPlan(NetworkPlan&&) noexcept = default;
NetworkPlan& NetworkPlan::operator=(NetworkPlan&&) noexcept = default;
NetworkPlan::~NetworkPlan() = default;

/// Enough to keep every thread busy, and to build them one after the other in little memory; a
/// spike costs something for each of them on every rank, which matters where cells are small. Of
/// cells without compartments a spike's events take no longer than finding them.
std::uint64_t wanted_ranges(std::uint64_t compartments, std::uint64_t cells, int threads,
                            int ranks) {
  constexpr std::uint64_t enough = 8, many_cells = 1 << 14;
  const bool large = compartments >= 16 * cells;
  if (compartments == 0 && cells < many_cells)
    return std::max(static_cast<std::uint64_t>(threads), cells / (many_cells / enough));
  const std::uint64_t least =
      cells >= many_cells ? enough : enough / static_cast<std::uint64_t>(ranks);
  return std::max(least, static_cast<std::uint64_t>(threads) * (large ? 16 : 2));
}

/// t += dt/2, twice a step.
void begin_clock(const models::Clock& clock, RunConstants& run) {
  run.clock_begins = clock.step;
  run.clock_ms.push_back(clock.at_ms);
  for (std::int64_t step = clock.step; step < run.steps; ++step)
    run.clock_ms.push_back(run.clock_ms.back() + 0.5 * run.dt_ms + 0.5 * run.dt_ms);
}

NetworkPlan outline_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                            const PlanOptions& options) {
  keep_thread_memory();
  if (options.threads == 1) share_thread_memory();
  const auto of = options.of ? options.of : std::make_shared<const OfPopulations>(network);
  NetworkPlan plan;
  plan.run.dt_ms = network.run.dt_ms;
  plan.run.steps = network.run.steps;
  if (network.run.clock) begin_clock(*network.run.clock, plan.run);
  plan.run.celsius = network.run.temperature_degC;
  plan.run.integrator = network.run.integrator;
  plan.run.spike_time = network.run.spike_time;
  plan.run.solver = network.run.solver;
  plan.run.precision = network.run.precision;
  plan.run.propagation = network.run.propagation;
  plan.run.given_draws = options.given_draws;
  plan.run.guests = options.guests;
  plan.run.saves_assigned = options.saves_assigned;
  plan.run.has_pointers = !network.pointer_targets.empty();
  for (const models::Projection& projection : network.projections) {
    if (projection.stdp) check_steps_of_plasticity(network, projection);
    plan.run.stdp.push_back(projection.stdp ? &*projection.stdp : nullptr);
  }
  plan.how = options.connections;
  if (!options.only) plan.late = find_late_spikes(network, mechanisms);
  plan.has_gap_junctions = network::has_gap_junctions(network);
  plan.states_follow_gaps = has_states_that_follow_gaps(network, mechanisms);
  plan.gaps_carry_variables = network::has_variables_in_gaps(network);
  if (network.wiring) plan.wired = std::make_shared<const WiredCells>(network);
  if (plan.wired && options.placement->ranks() > 1)
    reject(network.wiring->place, "a wiring on several ranks is not there yet");
  make_cells(network, mechanisms, options, of, plan);
  plan.made.resize(plan.ranges.size());
  plan.sources = std::make_unique<RangeSources>(RangeSources{
      network, mechanisms, {}, {}, *options.placement, of, plan.wired, options.only.has_value()});
  plan.sources->connectors.resize(network.projections.size());
  double expected = 0;
  if (options.connections == Connections::made) {
    const network::Runner run = [&](std::size_t count,
                                    const std::function<void(std::size_t)>& body) {
      parallel_for(count, options.threads, body);
    };
    options.activity->begin("preparing connections");
    for (std::size_t p = 0; p < network.projections.size(); ++p) {
      const PopulationId to = network.projections[p].to.population;
      network::CellSet targets = options.placement->cells_of(to);
      if (std::holds_alternative<models::GapJunction>(network.projections[p].link))
        targets = {0, network.populations[to.value].size};  // every rank draws all pairs
      else
        expected += network::expected_connection_count(network, p);
      const Asker asker(Asked::connections, "projection", network.projections[p].name);
      plan.sources->connectors[p] = std::make_unique<network::Connector>(network, p, targets, run);
    }
    const Asker asker(Asked::connections, "drawing gap junctions");
    if (plan.has_gap_junctions) draw_gap_junctions(network, *options.placement, run, plan);
  }
  if (options.only)
    for (const std::uint32_t r : of->recordings[options.only->value])
      outline_recording(network, network.recordings[r], plan);
  else
    for (const models::Recording& recording : network.recordings)
      if (recording.variable) outline_recording(network, recording, plan);
  options.activity->begin("connecting", static_cast<std::uint64_t>(expected));
  return plan;
}

std::vector<std::uint64_t> work_of_ranges(const NetworkPlan& plan) {
  std::vector<std::uint64_t> work;
  for (const RangePlan& range : plan.ranges) work.push_back(range.work);
  return work;
}

RangePlan make_range(NetworkPlan& plan, std::size_t r, Activity& progress) {
  const RangeSources& sources = *plan.sources;
  RangePlan range = std::move(plan.ranges[r]);
  range.kinds = plan.cells->kinds_of(*range.population, range.indices);
  range.may_have_synapses_anywhere =
      plan.how != Connections::made && has_synapses_anywhere(sources.network, *range.population);
  build_range(sources, range, progress);
  plan.made[r] = count(plan, range);
  plan.made[r].late = late_spikes_onto(range, sources.network, plan.late);
  if (range.population->is_point_neuron)
    plan.made[r].weights = find_largest_weights(sources.network, range);
  if (range.kinds.front() != range.kinds.back()) {
    const CellKind* known = nullptr;  // cells of one kind stand side by side
    for (const auto& kind : range.kinds)
      if (std::exchange(known, kind.get()) != kind.get()) plan.made[r].kind_bytes += kind->bytes();
  }
  plan.made[r].recorded = add_probes(sources, range, plan.how == Connections::made);
  return range;
}

void complete(NetworkPlan& plan) {
  plan.run.weights = PointWeights(plan.sources->network);
  for (const RangeMade& made : plan.made) {
    made.weights.add_to(plan.run.weights, made.population);
    plan.connections += made.connections;
    plan.synapses += made.connections + made.stimulus_synapses;
    take_shorter(plan.shortest_delay_ms, made.shortest_delay_ms);
    take_shorter(plan.shortest_told_delay_ms, made.shortest_told_delay_ms);
    plan.longest_delay_ms = std::max(plan.longest_delay_ms, made.longest_delay_ms);
    for (std::size_t l = 0; l < plan.late.size(); ++l)
      plan.late[l].shortest_delay_ms =
          std::min(plan.late[l].shortest_delay_ms, made.late[l].shortest_delay_ms);
    plan.kind_bytes = std::max(plan.kind_bytes, made.kind_bytes);
    plan.source_ranks.resize(std::max(plan.source_ranks.size(), made.source_ranks.size()));
    for (std::size_t rank = 0; rank < made.source_ranks.size(); ++rank)
      if (made.source_ranks[rank]) plan.source_ranks[rank] = true;
  }
  if (plan.how == Connections::expected)
    expect_projections(plan.sources->network, plan.sources->mechanisms, plan);
  join_recordings(plan);
  if (plan.how == Connections::expected) expect_recorded_weights(plan.sources->network, plan);
  plan.sources.reset();
  plan.ranges = {};
  for (RangeMade& made : plan.made) made.recorded = {};
}

}  // namespace hillock::simulator
