#pragma once
// A network on ranks that are threads, and what goes wrong there where a test wants it to.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "network/thread_ranks.hpp"
#include "tests/network/within.hpp"
#include "tests/simulator/mixed_network.hpp"

namespace hillock::simulator {

using models::PlacementKind;
using network::ExchangeKind;
using SavedStates = std::map<std::int64_t, State>;

inline network::ToldFailure tell_text(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return {7, error.what()};
  }
}

struct How {
  int ranks = 1;
  ExchangeKind exchange = ExchangeKind::all;
  Overlap overlap = Overlap::yes;
  std::int64_t save_every = 0;
  const State* from = nullptr;
};

/// What is done where a test wants something to fail.
struct Meddling {
  std::function<void()> in_sink = [] {};  ///< on the first rank
  std::function<void(int rank, std::int64_t step)> in_progress = [](int, std::int64_t) {};
  std::function<void(int rank)> in_keep = [](int) {};
};

class MeddledSink final : public RunSink {
 public:
  MeddledSink(MemorySink& sink, const Meddling& meddling) : sink_(sink), meddling_(meddling) {}
  void spikes(std::span<const network::CellSpike> spikes) override {
    meddling_.in_sink();
    sink_.spikes(spikes);
  }
  void rows(std::size_t report, std::vector<double> rows) override {
    meddling_.in_sink();
    sink_.rows(report, std::move(rows));
  }

 private:
  MemorySink& sink_;
  const Meddling& meddling_;
};

struct MadeOnRanks {
  MemorySink sink;  ///< of the first rank
  std::vector<models::ReportLayout> reports;
  SimulationCounts counts;
  SavedStates saved;
};

/// As one rank of those that `ranks` joins; null: alone.
inline void simulate_as_rank(const models::Network& network, const How& how,
                             const Meddling& meddling, network::Ranks* ranks, MadeOnRanks& made) {
  const int rank = ranks ? ranks->number() : 0;
  SimulationOptions options;
  options.together = {ranks, how.exchange, how.overlap, tell_text};
  Simulation simulation(network, options);
  MemorySink others;
  MeddledSink sink(rank == 0 ? made.sink : others, meddling);
  Saving saving;
  saving.every_steps = how.save_every;
  if (how.save_every > 0)
    saving.keep = [&](State state, std::int64_t step) {
      meddling.in_keep(rank);
      if (rank == 0) made.saved.emplace(step, std::move(state));
    };
  const auto progress = [&](const Progress& at) { meddling.in_progress(rank, at.step); };
  if (rank == 0) {
    made.reports = simulation.reports();
    made.counts = simulation.counts();
  }
  if (how.from)
    simulation.resume(rank == 0 ? *how.from : State(), sink, progress, saving);
  else
    simulation.run(sink, progress, saving);
  EXPECT_TRUE(others.all_spikes.empty());
  EXPECT_TRUE(others.reports.empty());
}

inline MadeOnRanks simulate_on(const models::Network& network, const How& how,
                               const Meddling& meddling = {}) {
  MadeOnRanks made;
  within(std::chrono::seconds(300), [&] {
    if (how.ranks == 1)
      simulate_as_rank(network, how, meddling, nullptr, made);
    else
      network::run_ranks(how.ranks, [&](network::Ranks& ranks) {
        simulate_as_rank(network, how, meddling, &ranks, made);
      });
  });
  return made;
}

/// Spikes reach the sink in blocks, each in the order of times; of a population they are all in it.
inline std::vector<std::vector<network::CellSpike>> by_population(const models::Network& network,
                                                                  const MadeOnRanks& made) {
  std::vector<std::vector<network::CellSpike>> spikes(network.populations.size());
  for (const network::CellSpike& spike : made.sink.all_spikes)
    spikes[network.population_of(spike.cell).first.value].push_back(spike);
  return spikes;
}

/// 15 ms of it, with reports of all trees, of a few balls and, rarely, of all.
inline models::Network recorded_network() {
  models::Network network = mixed_network();
  network.run.steps = 600;
  network.run.duration_ms = 15;
  network.recordings[0].stop_ms = 15;
  models::Recording few = network.recordings[0], rare = few;
  few.of = {PopulationId(1), 3, 6, {}};
  rare.of = whole(network, 1);
  rare.every_ms = 1;
  network.recordings.push_back(few);
  network.recordings.push_back(rare);
  return network;
}

inline std::string words_of(const How& how, PlacementKind placement) {
  return std::to_string(how.ranks) + " ranks, " + models::name_of(placement) +
         (how.exchange == ExchangeKind::all ? ", all" : ", neighbours") +
         (how.overlap == Overlap::yes ? ", overlapped" : "");
}

inline void expect_same(const models::Network& network, const MadeOnRanks& made,
                        const MadeOnRanks& expected, const std::string& how) {
  EXPECT_TRUE(by_population(network, made) == by_population(network, expected)) << how;
  EXPECT_TRUE(made.sink.reports == expected.sink.reports) << how;
  ASSERT_EQ(made.reports.size(), expected.reports.size()) << how;
  for (std::size_t r = 0; r < made.reports.size(); ++r) {
    EXPECT_EQ(made.reports[r].node_ids, expected.reports[r].node_ids) << how;
    EXPECT_EQ(made.reports[r].index_pointers, expected.reports[r].index_pointers) << how;
    EXPECT_EQ(made.reports[r].element_ids, expected.reports[r].element_ids) << how;
  }
  EXPECT_EQ(made.counts.connections, expected.counts.connections) << how;
  EXPECT_EQ(made.counts.compartments, expected.counts.compartments) << how;
  EXPECT_EQ(made.counts.synapses, expected.counts.synapses) << how;
  EXPECT_EQ(made.counts.shortest_delay_ms, expected.counts.shortest_delay_ms) << how;
}

}  // namespace hillock::simulator
