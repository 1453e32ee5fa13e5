// A network on several ranks gives what it gives on one, and ends on all of them when one fails.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/packed_state.hpp"
#include "network/thread_ranks.hpp"
#include "tests/network/within.hpp"
#include "tests/simulator/mixed_network.hpp"

namespace hillock::simulator {
namespace {

using namespace std::chrono_literals;
using models::PlacementKind;
using network::ExchangeKind;
using SavedStates = std::map<std::int64_t, State>;

network::ToldFailure tell_text(const std::exception_ptr& failure) {
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

struct Made {
  MemorySink sink;  ///< of the first rank
  std::vector<models::ReportLayout> reports;
  SimulationCounts counts;
  SavedStates saved;
};

/// As one rank of those that `ranks` joins; null: alone.
void simulate_as_rank(const models::Network& network, const How& how, const Meddling& meddling,
                      network::Ranks* ranks, Made& made) {
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

Made simulate_on(const models::Network& network, const How& how, const Meddling& meddling = {}) {
  Made made;
  within(300s, [&] {
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
std::vector<std::vector<network::CellSpike>> by_population(const models::Network& network,
                                                           const Made& made) {
  std::vector<std::vector<network::CellSpike>> spikes(network.populations.size());
  for (const network::CellSpike& spike : made.sink.all_spikes)
    spikes[network.population_of(spike.cell).first.value].push_back(spike);
  return spikes;
}

void expect_same(const models::Network& network, const Made& made, const Made& expected,
                 const std::string& how) {
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

/// 15 ms of it, with reports of all trees, of a few balls and, rarely, of all.
models::Network recorded_network() {
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

std::string words_of(const How& how, PlacementKind placement) {
  return std::to_string(how.ranks) + " ranks, " + models::name_of(placement) +
         (how.exchange == ExchangeKind::all ? ", all" : ", neighbours") +
         (how.overlap == Overlap::yes ? ", overlapped" : "");
}

TEST(SeveralRanks, GiveWhatOneGives) {
  models::Network network = recorded_network();
  const Made expected = simulate_on(network, {});
  ASSERT_GT(expected.sink.all_spikes.size(), 50u);
  for (const auto placement :
       {PlacementKind::cost, PlacementKind::blocks, PlacementKind::round_robin}) {
    network.run.placement = placement;
    for (const int ranks : {2, 3, 4})
      for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
        for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
          const How how{ranks, exchange, overlap};
          const Made made = simulate_on(network, how);
          EXPECT_EQ(made.counts.overlaps, overlap == Overlap::yes);
          EXPECT_EQ(made.counts.exchange, exchange);
          expect_same(network, made, expected, words_of(how, placement));
        }
  }
}

TEST(SeveralRanks, MayBeMoreThanCells) {
  models::Network network = mixed_network();
  network.populations[0].size = 2;
  network.populations[1].size = 3;
  network.populations[2].size = 1;
  network.recordings[0].of = whole(network, 0);
  network.run.steps = 400;
  network.run.duration_ms = network.recordings[0].stop_ms = 10;
  for (auto& projection : network.projections) {
    projection.from = whole(network, projection.from.population.value);
    projection.to = whole(network, projection.to.population.value);
  }
  network.stimuli.clear();
  for (const std::uint32_t p : {0U, 1U, 2U}) drive(network, p, 0, network.populations[p].size, 9);
  const Made expected = simulate_on(network, {});
  ASSERT_GT(expected.sink.all_spikes.size(), 2u);
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours}) {
    const How how{9, exchange};
    expect_same(network, simulate_on(network, how), expected, words_of(how, PlacementKind::cost));
  }
}

/// A rank that only sends need not wait for those that only receive, and may be far ahead.
TEST(SeveralRanks, WorkOneWay) {
  models::Network network = recorded_network();
  std::erase_if(network.projections, [](const models::Projection& projection) {
    return projection.from.population.value > projection.to.population.value;
  });
  ASSERT_EQ(network.projections.size(), 2u);  // trees to balls to artificial cells
  const Made expected = simulate_on(network, {});
  for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
    const How how{5, ExchangeKind::neighbours, overlap};
    expect_same(network, simulate_on(network, how), expected, words_of(how, PlacementKind::cost));
  }
}

TEST(SeveralRanks, JoinCellsByGapJunctions) {
  models::Network network = recorded_network();
  network.run.steps = 200;
  network.run.duration_ms = 5;
  for (auto& recording : network.recordings) recording.stop_ms = 5;
  models::GapJunction junction;
  junction.g_uS = 1e-3;
  junction.at = junction.peer_at = at("soma", 0.5);
  models::Projection p;
  p.from = whole(network, 0);
  p.to = whole(network, 1);
  p.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  p.connect.number = 2;
  p.link = junction;
  network.projections.push_back(p);
  const Made expected = simulate_on(network, {});
  for (const auto placement : {PlacementKind::cost, PlacementKind::round_robin})
    for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours}) {
      network.run.placement = placement;
      const How how{3, exchange};
      const Made made = simulate_on(network, how);
      EXPECT_FALSE(made.counts.overlaps);
      expect_same(network, made, expected, words_of(how, placement));
    }
}

TEST(SeveralRanks, SaveAndResumeAsOneDoes) {
  models::Network network = recorded_network();
  How alone;
  alone.save_every = 130;
  const Made expected = simulate_on(network, alone);
  ASSERT_EQ(expected.saved.size(), 4u);
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
      network.run.placement = PlacementKind::round_robin;
      const How how{3, exchange, overlap, 130};
      const Made made = simulate_on(network, how);
      const std::string words = words_of(how, PlacementKind::round_robin);
      expect_same(network, made, expected, words);
      ASSERT_EQ(made.saved.size(), expected.saved.size());
      for (const auto& [step, state] : expected.saved)
        EXPECT_EQ(pack(state), pack(made.saved.at(step))) << words << ' ' << step;
      network.run.placement = PlacementKind::blocks;
      const Made rest = simulate_on(network, {2, exchange, overlap, 0, &made.saved.at(260)});
      const auto& all = expected.sink.reports[0];
      const std::size_t columns = expected.reports[0].element_ids.size();
      const std::vector<double> later(all.begin() + static_cast<std::ptrdiff_t>(261 * columns),
                                      all.end());
      EXPECT_EQ(rest.sink.reports[0], later) << words;
    }
}

/// All ranks throw what one has met. Returns what the first one's sink had got.
Made expect_failure(const models::Network& network, const How& how, const Meddling& meddling,
                    int failing, const std::string& text) {
  Made made;
  std::atomic<int> failed = 0;
  within(300s, [&] {
    network::run_ranks(how.ranks, [&](network::Ranks& ranks) {
      try {
        simulate_as_rank(network, how, meddling, &ranks, made);
      } catch (const RankFailed& failure) {
        ++failed;
        EXPECT_EQ(failure.rank(), failing);
        EXPECT_EQ(failure.exit_code(), 7);
        EXPECT_EQ(failure.what(), text);
      }
    });
  });
  EXPECT_EQ(failed, how.ranks);
  return made;
}

template <class T>
bool begins_with(const std::vector<T>& all, const std::vector<T>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

TEST(SeveralRanks, EndTogetherAndKeepWhatWasMadeBefore) {
  models::Network network = recorded_network();
  network.run.placement = PlacementKind::round_robin;  // every rank has columns of every report
  const Made expected = simulate_on(network, {});
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const Overlap overlap : {Overlap::no, Overlap::yes})
      for (const int failing : {0, 1, 2}) {
        Meddling meddling;
        std::atomic<std::int64_t> last = 0;
        meddling.in_progress = [&](int rank, std::int64_t step) {
          if (rank != failing || step < 300) return;
          last = step;
          throw std::runtime_error("no more");
        };
        const How how{3, exchange, overlap};
        const Made made = expect_failure(network, how, meddling, failing, "no more");
        const std::string words = words_of(how, network.run.placement) + std::to_string(failing);
        for (const std::size_t r : {0u, 1u})  // a row a step
          EXPECT_EQ(made.sink.reports[r].size(),
                    expected.reports[r].element_ids.size() * static_cast<std::size_t>(last + 1))
              << words;
        for (std::size_t r = 0; r < 3; ++r)
          EXPECT_TRUE(begins_with(expected.sink.reports[r], made.sink.reports[r])) << words;
        const auto all = by_population(network, expected), some = by_population(network, made);
        for (std::size_t p = 0; p < all.size(); ++p) {
          EXPECT_TRUE(begins_with(all[p], some[p])) << words;
          if (some[p].size() < all[p].size()) {
            EXPECT_GT(all[p][some[p].size()].time_ms, static_cast<double>(last) * 0.025) << words;
          }
        }
      }
}

TEST(SeveralRanks, EndWhenTheSinkFails) {
  const models::Network network = recorded_network();
  for (const Overlap overlap : {Overlap::no, Overlap::yes})
    for (const int good_calls : {0, 1, 4}) {
      Meddling meddling;
      int calls = 0;
      meddling.in_sink = [&] {
        if (calls++ >= good_calls) throw std::runtime_error("the disk is full");
      };
      expect_failure(network, {4, ExchangeKind::all, overlap}, meddling, 0, "the disk is full");
      EXPECT_EQ(calls, good_calls + 1);  // it is not called again
    }
}

TEST(SeveralRanks, EndWhenTheStateIsNotKept) {
  const models::Network network = recorded_network();
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const int failing : {0, 2}) {
      Meddling meddling;
      meddling.in_keep = [&](int rank) {
        if (rank == failing) throw std::runtime_error("not kept");
      };
      expect_failure(network, {3, exchange, Overlap::yes, 200}, meddling, failing, "not kept");
    }
}

TEST(SeveralRanks, RefuseAStateOfAnotherNetwork) {
  models::Network network = recorded_network();
  How how;
  how.save_every = 250;
  const Made saved = simulate_on(network, how);
  network.populations[1].size += 1;
  const How resumed{3, ExchangeKind::all, Overlap::yes, 0, &saved.saved.at(250)};
  EXPECT_THROW(simulate_on(network, resumed), RankFailed);
}

TEST(SeveralRanks, FailTogetherWhenTheModelIsWrong) {
  models::Network network = recorded_network();
  network.stimuli[0].to.end = 1;  // the cell that the first of the ranks has
  std::get<models::EventSource>(network.stimuli[0].kind).synapse.at = at("nowhere", 0.5);
  EXPECT_THROW(simulate_on(network, {3}), RankFailed);
}

}  // namespace
}  // namespace hillock::simulator
