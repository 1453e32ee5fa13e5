#include "simulator/ranks/memory_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/containers/memory_size.hpp"
#include "mechanisms/kernels.hpp"
#include "network/inbox.hpp"
#include "simulator/output/hand_over.hpp"
#include "simulator/output/potentials.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::simulator {

/// A thread has the plan of one range, of which it forgets as much as it has laid out, and lays out
/// one group: its tree and columns in full take about as much again, and leave gaps of that size
/// behind.
std::uint64_t building_bytes(const NetworkPlan& plan, const Built& built) {
  const std::uint64_t ranges = std::max<std::uint64_t>(1, plan.made.size());
  const std::uint64_t groups = std::max<std::uint64_t>(1, built.groups);
  const std::uint64_t threads = std::min(ranges, static_cast<std::uint64_t>(built.threads));
  const std::uint64_t planned = plan.kind_bytes + plan.connection_memory.building;
  const std::uint64_t laid_out = (built.state_bytes + built.connection_bytes +
                                  plan.connection_memory.kept - plan.connection_memory.rings) /
                                 ranges;
  const std::uint64_t of_range =
      std::max(planned, laid_out) - laid_out + 2 * built.state_bytes / groups;
  // Small lists that a thread gives back are of use to that thread alone.
  constexpr std::uint64_t few = 4 * large_piece_bytes, left_behind = 1'000'000;
  const bool leaves_some = threads > 1 && planned > left_behind && planned < few;
  return threads * (of_range + (leaves_some ? left_behind : 0));
}

namespace {

PotentialBytes bytes_of_potential(const NetworkPlan& plan, const PotentialPlan& potential,
                                  std::int64_t epoch_steps, int threads) {
  const SampleTimes& times = potential.times;
  const models::ReportLayout& currents = plan.reports[potential.report];
  const auto steps = static_cast<double>(epoch_steps);
  return potential_bytes(
      {.columns = static_cast<double>(currents.element_ids.size()),
       .contacts = potential.of->size(),
       .samples_an_epoch = steps / static_cast<double>(times.every),
       .samples_of_run = static_cast<double>(times.count),
       .steps_an_epoch = potential.is_mean ? steps : 0,
       .cells = potential.is_by_cell ? static_cast<double>(currents.node_ids.size()) : 0},
      threads);
}

}  // namespace

std::uint64_t sample_bytes(const NetworkPlan& plan, std::int64_t epoch_steps, int threads) {
  std::uint64_t bytes = 0;
  auto potential = plan.potentials.begin();
  for (std::size_t r = 0; r < plan.reports.size(); ++r) {
    const models::ReportLayout& layout = plan.reports[r];
    const SampleTimes& times = plan.run.samples[r];
    // The simulation's own, and that of the sink.
    bytes += 2 * (bytes_of(layout.node_ids) + bytes_of(layout.index_pointers) +
                  bytes_of(layout.element_ids) + bytes_of(layout.element_pos));
    if (potential != plan.potentials.end() && potential->report == r) {
      const PotentialBytes of = bytes_of_potential(plan, *potential++, epoch_steps, threads);
      bytes += static_cast<std::uint64_t>(of.map + of.currents);
      continue;
    }
    bytes += static_cast<std::uint64_t>(
        row_bytes(static_cast<double>(epoch_steps) / static_cast<double>(times.every),
                  static_cast<double>(times.count),
                  static_cast<double>(layout.element_ids.size() * sizeof(double))));
  }
  return bytes;
}

std::uint64_t map_bytes(const NetworkPlan& plan) {
  double bytes = 0;
  for (const PotentialPlan& potential : plan.potentials)
    bytes += bytes_of_potential(plan, potential, 1, 1).map;
  return static_cast<std::uint64_t>(bytes);
}

/// Less than a block waits with the engine, and at the sink's door.
double row_bytes(double rows_an_epoch, double rows_of_run, double bytes_a_row) {
  const double epoch = std::ceil(rows_an_epoch) * bytes_a_row;
  const double small = epoch < HandOver::block_bytes ? 2.0 * HandOver::block_bytes : 0;
  return std::min(2 * epoch + small, 2 * rows_of_run * bytes_a_row);
}

SpikingCells spiking_cells(const models::Network& network) {
  SpikingCells cells;
  for (const models::Population& population : network.populations) {
    const auto* cable = std::get_if<models::CableCell>(&network.cells[population.cell].kind);
    cells.push_back(cable && !cable->detector ? 0 : static_cast<double>(population.size));
  }
  return cells;
}

namespace {

/// At most of so many cells: all may spike within half a millisecond, and again after 5 ms.
double spikes_within(double ms, double cells) {
  constexpr double burst_ms = 0.5, between_ms = 5;
  return cells * (ms < burst_ms ? ms / burst_ms : std::ceil(ms / between_ms));
}

double sum(const SpikingCells& cells) {
  return std::accumulate(cells.begin(), cells.end(), 0.0);
}

/// What the file of spikes keeps of the last chunks of every population, once more while one is
/// written.
double chunk_bytes(const SpikesOfRank& of) {
  constexpr double chunk = 16384;
  double bytes = 0, most = 0;
  for (const double cells : *of.all) {
    const double spikes = std::min(chunk, spikes_within(of.run_ms, cells));
    bytes += sizeof(models::RecordedSpike) * spikes;
    most = std::max(most, sizeof(double) * spikes);
  }
  return bytes + most;
}

}  // namespace

/// Lists of two epochs, whose cut-off memory may be of use to nobody; what waits to be handed over,
/// what is, and room to sort it; parts of that for the sink and in its queue. Of several ranks the
/// exchange has what it sends and hears, and the first gets messages with what all others made.
std::uint64_t spike_bytes(const SpikesOfRank& of) {
  constexpr double spike = sizeof(network::CellSpike), queue = 1 << 18;
  const auto in_epoch = [&](double cells) {
    return spike * std::min(spikes_within(of.epoch_ms, cells), spikes_within(of.run_ms, cells));
  };
  const auto in_block = [&](double cells, double ranks) {
    return std::min(spike * spikes_within(of.run_ms, cells),
                    std::max(in_epoch(cells), ranks * HandOver::block_bytes_of(of.ranks)));
  };
  const double own = sum(*of.own), all = sum(*of.all);
  double bytes = 2.5 * in_epoch(own) + in_block(own, 1);
  if (of.ranks > 1) bytes += in_epoch(own) + 3 * in_epoch(all) + in_block(own, 1);
  if (of.writes) {
    const double block = in_block(all, of.ranks);
    bytes += (of.ranks > 1 ? 3 : 2) * block + std::min(block, 1.25 * HandOver::block_bytes) +
             std::min(spike * spikes_within(of.run_ms, all), queue) + chunk_bytes(of);
  }
  return static_cast<std::uint64_t>(bytes);
}

void Burst::add(const BurstEvents& events, double groups) {
  constexpr double few_events = 1 << 15;
  const bool in_turn = events.on_a_range > few_events && events.of_an_arrival >= groups;
  on_their_way_ += events.on_their_way;
  handed_out_[events.to.value] += events.on_a_range / (in_turn ? groups : 1);
}

/// Arrays that grow have room for a quarter more than they hold, or leave as much behind.
std::uint64_t Burst::bytes(double threads) const {
  double most = 0;
  for (const auto& [population, events] : handed_out_) most = std::max(most, events);
  return static_cast<std::uint64_t>(1.25 * sizeof(network::Arrival) * on_their_way_ +
                                    1.25 * sizeof(mechanisms::Addition) * threads * most);
}

std::uint64_t event_bytes(const NetworkPlan& plan, const models::Network& network,
                          const Built& built, double epoch_ms) {
  if (network.stimuli.empty()) return 0;
  const double ranges = std::max<double>(1, static_cast<double>(plan.made.size()));
  Burst burst;
  for (const auto& events : plan.bursts)
    burst.add(events(epoch_ms), std::max(1.0, static_cast<double>(built.groups) / ranges));
  return burst.bytes(std::min(ranges, static_cast<double>(built.threads)));
}

/// Threads have memory of their own, of which some is free: more where they hand over and write.
/// While cells are made, not all threads hold the most at the same moment.
std::uint64_t most_bytes(const Phases& phases) {
  const std::uint64_t building = phases.program + phases.building;
  const std::uint64_t running = phases.program + phases.running;
  if (phases.threads == 1) return std::max(building + building / 48, running + running / 24);
  constexpr std::uint64_t of_threads = 500'000, of_writers = 2'500'000;
  return std::max(building + of_threads, running + running / 24 + of_writers);
}

}  // namespace hillock::simulator
