// Networks of their own on several ranks, which know of each other's cells by numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/errors/errors.hpp"
#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

const auto no_progress = [](const Progress&) {};
constexpr std::uint64_t cells_of_one = 2;
constexpr std::int64_t first_step = 40, last_step = 800;

/// Cells that spike at each event; p and, of a part of the ring, cells elsewhere.
models::Network some_cells(std::uint64_t size) {
  models::Network network = passive_network(size);
  std::get<models::CableCell>(network.cells[0].kind).detector =
      models::Detector{at("soma", 0.5), -60, {}};
  network.run.steps = last_step;
  network.run.duration_ms = static_cast<double>(last_step) * network.run.dt_ms;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  return network;
}

void link_cells(models::Network& network, models::PopulationSlice from, models::PopulationSlice to,
                const decltype(models::Projection::link)& link) {
  models::Projection p;
  p.name = "projection" + std::to_string(network.projections.size());
  p.from = from;
  p.to = to;
  p.connect.kind = models::ConnectionRule::Kind::one_to_one;
  p.weight = 0.05;
  p.delay.base_ms = 30 * network.run.dt_ms;
  p.link = link;
  network.projections.push_back(p);
}

void pass_spikes(models::Network& network, models::PopulationSlice from,
                 models::PopulationSlice to) {
  link_cells(network, from, to, models::Synapse{{"expsyn", {}, {}}, at("soma", 0.5), false});
}

void join_by_gap(models::Network& network, models::PopulationSlice one,
                 models::PopulationSlice other) {
  models::GapJunction junction;
  junction.g_uS = 1e-4;
  junction.at = junction.peer_at = at("soma", 0.5);
  link_cells(network, one, other, junction);
}

models::PopulationSlice cell(std::uint64_t c, std::uint32_t population = 0) {
  return {PopulationId(population), c, c + 1, {}};
}

/// A ring of parts of two cells, each spikes onto the next one; of different parts neighbours are
/// joined by a gap junction.
models::Network ring_of(std::uint64_t parts, bool has_gaps) {
  const std::uint64_t size = cells_of_one * parts;
  models::Network network = some_cells(size);
  for (std::uint64_t c = 0; c < size; ++c) pass_spikes(network, cell(c), cell((c + 1) % size));
  for (std::uint64_t c = 1; has_gaps && c < size; c += 2)
    join_by_gap(network, cell(c), cell((c + 1) % size));
  return network;
}

/// Of cells elsewhere the first stands for the last of the part before, the second for the first of
/// the part behind.
models::Network part_of_ring(bool has_gaps) {
  models::Network network = some_cells(cells_of_one);
  network.populations.push_back({"elsewhere", 0, 2, {}, {}});
  pass_spikes(network, cell(0), cell(1));
  pass_spikes(network, cell(0, 1), cell(0));
  if (!has_gaps) return network;
  join_by_gap(network, cell(1), cell(1, 1));
  join_by_gap(network, cell(0, 1), cell(0));
  return network;
}

network::Outside outside_of(std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t before = (part + parts - 1) % parts, behind = (part + 1) % parts;
  network::Outside outside;
  outside.elsewhere = PopulationId(1);
  for (std::uint64_t c = 0; c < cells_of_one; ++c)
    outside.leaving[c] = {cells_of_one * part + c, 0};
  outside.coming[cells_of_one * before + 1] = CellId(cells_of_one);
  // Of two parts either is before and behind the other.
  outside.gap_peers[cells_of_one] = {static_cast<int>(before), part};
  outside.gap_peers[cells_of_one + 1] = {static_cast<int>(behind), behind};
  return outside;
}

/// A spike of a cell of a population is on its way.
void put_spike(State& state, const std::string& population, std::uint64_t cell, double time_ms) {
  StateOfCells& cells = state.of(population);
  CellColumn& spikes = cells.columns["spikes/time"];
  spikes = {};
  spikes.numbers.push_back(time_ms);
  for (std::uint64_t c = 0; c < cells.cells.size(); ++c) spikes.counts.push_back(c == cell ? 1 : 0);
}

struct Found {
  std::map<std::uint64_t, std::vector<double>> spikes, voltages;  ///< [cell of the ring]
};

void note(Found& found, const MemorySink& sink, std::uint64_t first_cell, std::uint64_t cells) {
  for (const network::CellSpike& spike : sink.all_spikes)
    found.spikes[first_cell + spike.cell.value].push_back(spike.time_ms);
  for (std::size_t i = 0; i < sink.reports.at(0).size(); ++i)
    found.voltages[first_cell + i % cells].push_back(sink.reports[0][i]);
}

const double kick_ms = static_cast<double>(first_step - 10) * 0.025;

Found as_one(std::uint64_t parts, bool has_gaps) {
  const models::Network network = ring_of(parts, has_gaps);
  MemorySink before, sink;
  Simulation simulation(network, {});
  simulation.begin(before);
  simulation.start_at(sink, first_step,
                      [&](State& state) { put_spike(state, "p", cells_of_one - 1, kick_ms); });
  simulation.advance(last_step, no_progress);
  Found found;
  note(found, sink, 0, cells_of_one * parts);
  return found;
}

/// pauses: where the run is stopped on the way. in_progress: may throw.
Found beside(std::uint64_t parts, bool has_gaps, const std::vector<std::int64_t>& pauses,
             const std::function<void(int rank, std::int64_t step)>& in_progress) {
  Found found;
  std::mutex noting;
  within(std::chrono::seconds(300), [&] {
    network::run_ranks(static_cast<int>(parts), [&](network::Ranks& ranks) {
      const auto part = static_cast<std::uint64_t>(ranks.number());
      const models::Network network = part_of_ring(has_gaps);
      const network::Outside outside = outside_of(part, parts);
      SimulationOptions options;
      options.together = {.ranks = &ranks, .tell = tell_text, .outside = &outside};
      MemorySink before, sink;
      Simulation simulation(network, options);
      simulation.begin(before);
      simulation.start_at(sink, first_step, [&](State& state) {
        if (part == 1) put_spike(state, "elsewhere", 0, kick_ms);
      });
      const auto progress = [&](const Progress& at) { in_progress(ranks.number(), at.step); };
      for (const std::int64_t step : pauses) simulation.advance(step, progress);
      simulation.advance(last_step, progress);
      // What may be on its way onto cells here.
      const State state = simulation.save();
      EXPECT_EQ(state.of_cells().at("elsewhere").cells.size(), 2U);
      const std::lock_guard lock(noting);
      note(found, sink, cells_of_one * part, cells_of_one);
    });
  });
  return found;
}

TEST(BesideOthers, TheyAreOneNetwork) {
  for (const bool has_gaps : {false, true})
    for (const std::uint64_t parts : {2U, 3U}) {
      const Found one = as_one(parts, has_gaps);
      std::size_t spikes = 0;
      for (const auto& [cell, times] : one.spikes) spikes += times.size();
      EXPECT_GT(spikes, 12U);
      for (const auto& pauses : {std::vector<std::int64_t>{}, {first_step + 17, 300, 301}}) {
        const Found all = beside(parts, has_gaps, pauses, [](int, std::int64_t) {});
        EXPECT_EQ(all.spikes, one.spikes) << parts << has_gaps;
        EXPECT_EQ(all.voltages, one.voltages) << parts << has_gaps;
      }
    }
}

TEST(BesideOthers, WhatFailsOnOneEndsAll) {
  std::atomic<int> steps = 0;
  try {
    beside(3, false, {}, [&](int rank, std::int64_t step) {
      ++steps;
      if (rank == 1 && step > 200) throw std::runtime_error("no more");
    });
    FAIL();
  } catch (const RankFailed& failure) {
    EXPECT_EQ(failure.rank(), 1);
    EXPECT_STREQ(failure.what(), "no more");
  }
  EXPECT_LT(steps, 3 * last_step / 30);
}

TEST(BesideOthers, WhatIsOnItsWayAtTheEndIsEachRanksOwn) {
  network::run_ranks(2, [&](network::Ranks& ranks) {
    const auto part = static_cast<std::uint64_t>(ranks.number());
    const models::Network network = part_of_ring(false);
    const network::Outside outside = outside_of(part, 2);
    SimulationOptions options;
    options.together = {.ranks = &ranks, .tell = tell_text, .outside = &outside};
    MemorySink before, sink;
    Simulation simulation(network, options);
    simulation.begin(before);
    simulation.start_at(sink, first_step, [&](State& state) {
      if (part == 1) put_spike(state, "elsewhere", 0, kick_ms);
    });
    // The kick reaches rank 1 at step 60, whose first cell passes it to its second, and that to
    // rank 0's first, which it reaches after 130: spikes of the last steps are known there, too.
    for (std::int64_t step = first_step + 1; step < 115; ++step)
      simulation.advance(step, no_progress);
    const State state = simulation.save();
    const auto& columns = state.of_cells().at("elsewhere").columns;
    const auto spikes = columns.find("spikes/time");
    const std::size_t known = spikes == columns.end() ? 0 : spikes->second.numbers.size();
    EXPECT_EQ(known, part == 0 ? 1U : 0U);
  });
}

}  // namespace
}  // namespace hillock::simulator
