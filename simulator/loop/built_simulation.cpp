#include "simulator/loop/built_simulation.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/backends/cpu/beginner.hpp"
#include "simulator/backends/cpu/cpu_engine.hpp"
#include "simulator/backends/device/device_engine.hpp"
#include "simulator/backends/device/taped/taped_batch.hpp"
#include "simulator/backends/taped/taped_engine.hpp"
#include "simulator/loop/rest.hpp"
#include "simulator/plan/network/cell_costs.hpp"
#include "simulator/plan/network/epoch_length.hpp"
#include "simulator/plan/network/point_weights.hpp"
#include "simulator/ranks/memory_counts.hpp"
#include "simulator/threads/stopwatch.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::simulator {

BuiltSimulation::BuiltSimulation(const models::Network& model, const SimulationOptions& run_options)
    : network(model), options(run_options) {
  const Stopwatch watch(timings.build_s, "build");
  if (!options.activity) options.activity = &unwatched;
  if (!options.announce) options.announce = [](const std::string&) {};
  together([&] { build_own(); });
  join_ranks();
  choose_epoch();
  join_gaps();
  together([&] {
    check_point_weights(network, plan.run.weights);
    return_free_memory();
    engine->prepare(counts.epoch_steps, plan.reports);
    return_free_memory();
  });
  count();
}

/// All that concerns this rank alone.
void BuiltSimulation::build_own() {
  placement = place();
  // A run that is derived is laid out alike for any threads: how it begins is compared.
  plan = outline_network(network, options.mechanisms,
                         {.placement = placement.get(),
                          .threads = options.taping ? 1 : options.threads,
                          .connections = options.connections,
                          .activity = options.activity,
                          .rest = own_rest(),
                          .saves_assigned = options.saves_assigned,
                          .given_draws = options.given_draws,
                          .guests = options.guests});
  if (options.taping) {
    auto made = taped::make_engine(
        plan, {.threads = options.threads,
               .beginner = &cpu::beginner(),
               .activity = options.activity,
               .announce = options.announce,
               .is_only_begun = options.taping->is_only_begun,
               .most_tape_bytes = options.taping->most_bytes,
               .make_batch = options.backend == Backend::cuda ? on_device::make_taped_batch
                                                              : taped::MakeBatch{}});
    options.taping->engine = made.get();
    engine = std::move(made);
    complete(plan);
    return;
  }
  engine = options.backend == Backend::cuda
               ? on_device::make_engine(plan, {.threads = options.threads,
                                               .beginner = &cpu::beginner(),
                                               .activity = options.activity,
                                               .is_alone = !ranks(),
                                               .announce = options.announce,
                                               .is_only_counted = options.is_only_counted,
                                               .copies = options.copies})
               : cpu::make_engine(plan, {options.threads, options.activity, options.side_by_side});
  complete(plan);
  take_potentials();
}

void BuiltSimulation::take_potentials() {
  if (plan.potentials.empty()) return;
  with_potentials = plan.reports;
  for (const PotentialPlan& potential : plan.potentials) {
    with_potentials[potential.report] =
        layout_of_potential(plan.reports[potential.report], potential);
    potentials.emplace_back(potential, plan.reports);
  }
}

std::unique_ptr<network::Placement> BuiltSimulation::place() const {
  if (outside()) return std::make_unique<network::BesideOthers>(network, outside()->elsewhere);
  return std::make_unique<network::Placement>(place_cells(network, options.mechanisms,
                                                          ranks() ? ranks()->number() : 0,
                                                          ranks() ? ranks()->count() : 1));
}

/// The same on all ranks that have parts of one network.
Rest BuiltSimulation::own_rest() const {
  if (options.connections != Connections::made || options.is_only_counted) return {};
  return find_rest(network, options.mechanisms,
                   {options.threads, options.activity, [&](const std::string& line) {
                      if (is_first()) options.announce(line);
                    }});
}

void BuiltSimulation::join_ranks() {
  if (!ranks()) {
    exchange = std::make_unique<network::OneRank>();
    gap_exchange = std::make_unique<network::GapsHere>();
    return;
  }
  join_gap_exchange();
  plan.longest_delay_ms = most_of_all(plan.longest_delay_ms);
  if (outside()) {
    counts.exchange = network::ExchangeKind::all;
    exchange = network::make_outside_exchange(network::make_exchange(*ranks(), {}, counts.exchange),
                                              *outside());
    agree_on_gaps();
    return;
  }
  plan.source_ranks.resize(static_cast<std::size_t>(ranks()->count()));
  network::Neighbours neighbours = network::find_neighbours(*ranks(), plan.source_ranks);
  counts.exchange = network::choose_exchange(*ranks(), neighbours, options.together.exchange);
  exchange = network::make_exchange(*ranks(), std::move(neighbours), counts.exchange);
  PointWeights& all = plan.run.weights;
  for (auto* weights : {&all.of_projection, &all.of_stimulus, &all.onto_population})
    for (double& largest : *weights) largest = most_of_all(largest);
  gather = std::make_unique<OutputGather>(*ranks(), own_reports());
}

void BuiltSimulation::join_gap_exchange() {
  gap_exchange =
      network::make_gap_exchange(*ranks(), plan.gap_values, [&](CellId cell) -> network::GapPeer {
        if (outside()) return outside()->gap_peers.at(cell.value);
        const auto [population, index] = network.population_of(cell);
        return {placement->rank_of(population, index)};
      });
}

/// Networks that are not the same pass values on equally often.
void BuiltSimulation::agree_on_gaps() {
  for (bool* const some : {&plan.states_follow_gaps, &plan.gaps_carry_variables})
    *some = sum_of_all(*some ? 1 : 0) > 0 && plan.has_gap_junctions;
}

/// The largest of all ranks' numbers.
double BuiltSimulation::most_of_all(double own) const {
  if (!ranks()) return own;
  double most = own;
  for (const std::uint64_t bits :
       network::numbers_of_all(*ranks(), std::bit_cast<std::uint64_t>(own)))
    most = std::max(most, std::bit_cast<double>(bits));
  return most;
}

/// Bytes that an epoch's samples of a report may take: four times as much where currents stay on a
/// device.
double BuiltSimulation::room_for_samples(std::size_t report) const {
  const auto room = static_cast<double>(options.most_sample_bytes);
  const auto potential = std::ranges::find(plan.potentials, report, &PotentialPlan::report);
  if (potential == plan.potentials.end() || potential->is_mean) return room;
  const bool stays = engine->traits().sums_potentials && potential->may_be_summed();
  return (stays ? 4 : 1) *
         room_for_currents(room, static_cast<double>(plan.reports[report].element_ids.size()),
                           potential->of->size());
}

/// As all ranks' delays, samples and options want it.
void BuiltSimulation::choose_epoch() {
  const double none = std::numeric_limits<double>::infinity();
  const double own_ms = plan.shortest_delay_ms > 0 ? plan.shortest_delay_ms : none;
  plan.shortest_delay_ms = least_of_all(own_ms);
  if (plan.shortest_delay_ms == none) plan.shortest_delay_ms = 0;
  if (!outside())
    for (LateSpikes& late : plan.late)
      late.shortest_delay_ms = least_of_all(late.shortest_delay_ms);
  const double own_free_steps = static_cast<double>(engine->traits().free_steps);
  const auto free_steps = outside() ? 0 : static_cast<std::int64_t>(least_of_all(own_free_steps));
  passes_all =
      !ranks() && free_steps > 0 &&
      std::ranges::all_of(plan.populations, [](const auto& some) { return some->is_point_neuron; });
  double samples_a_step = 0;
  for (std::size_t r = 0; r < plan.reports.size(); ++r)
    samples_a_step += static_cast<double>(plan.reports[r].element_ids.size() * sizeof(double)) /
                      static_cast<double>(plan.run.samples[r].every) / room_for_samples(r);
  const EpochLength length =
      epoch_length({.dt_ms = network.run.dt_ms,
                    .has_clock = network.run.clock.has_value(),
                    .shortest_delay_ms = plan.shortest_delay_ms,
                    .late = passes_all ? std::vector<LateSpikes>{} : plan.late,
                    .has_gap_junctions = plan.has_gap_junctions || plan.wired || options.guests,
                    .has_ranks = has_a_part(),
                    .free_steps = free_steps,
                    .overlap = options.together.overlap,
                    .most_steps = options.most_epoch_steps,
                    .samples_a_step = most_of_all(samples_a_step)});
  counts.epoch_steps = length.steps;
  if (outside())
    counts.epoch_steps = static_cast<std::int64_t>(least_of_all(static_cast<double>(length.steps)));
  counts.overlaps = length.overlaps;
}

void BuiltSimulation::count() {
  counts.cells = network.cell_count();
  for (const auto& [first, behind] : network.relays()) counts.relays += behind.value - first.value;
  for (const auto& population : plan.populations)
    if (population->is_point_neuron) counts.point_neurons += population->size;
  counts.compartments = sum_of_all(plan.compartments);
  const EngineReport report = engine->report();
  counts.groups = report.groups;
  counts.connections = sum_of_all(plan.connections);
  counts.synapses = sum_of_all(plan.synapses);
  counts.gap_junctions = plan.gap_junctions;
  counts.connection_memory = plan.connection_memory;
  counts.shortest_delay_ms = plan.shortest_delay_ms;
  counts.side_by_side = report.side_by_side;
  counts.state_bytes = report.state_bytes;
  counts.connection_bytes = report.connection_bytes;
  const Built built{.groups = counts.groups,
                    .state_bytes = counts.state_bytes,
                    .connection_bytes = counts.connection_bytes,
                    .threads = options.threads};
  counts.building_bytes = building_bytes(plan, built);
  counts.epochs_at_once = runs_ahead() ? 2 : 1;
  counts.sample_bytes = sample_bytes(plan, counts.epoch_steps, options.threads);
  counts.map_bytes = map_bytes(plan);
  const SpikingCells cells = spiking_cells(network);
  const double dt_ms = network.run.dt_ms;
  const double epoch_ms = static_cast<double>(counts.epoch_steps) * dt_ms;
  counts.spike_bytes = spike_bytes({.own = &cells,
                                    .all = &cells,
                                    .epoch_ms = epoch_ms,
                                    .run_ms = static_cast<double>(network.run.steps) * dt_ms}) +
                       event_bytes(plan, network, built, epoch_ms);
}

void BuiltSimulation::join_gaps() {
  if (!plan.has_gap_junctions) return;
  const Stopwatch watch(timings.exchange_s, "exchange");
  engine->exchange_gaps([&](auto leaving) { return gap_exchange->swap(leaving); });
}

}  // namespace hillock::simulator
