// What is saved does not tell who had which cells: parts of a network go on from the whole's state,
// and what they save is the whole's.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/state/packed_state.hpp"
#include "tests/simulator/mixed_network.hpp"
#include "tests/simulator/part_of_network.hpp"

namespace hillock::simulator {
namespace {

/// What a run of all cells saves every 250 steps.
std::map<std::int64_t, State> saved_by_all(const models::Network& network, int threads) {
  std::map<std::int64_t, State> saved;
  SimulationOptions options;
  options.threads = threads;
  Saving saving;
  saving.every_steps = 250;
  saving.keep = [&](State state, std::int64_t step) { saved.emplace(step, std::move(state)); };
  MemorySink sink;
  Simulation(network, options)
      .run(
          sink, [](const Progress&) {}, saving);
  EXPECT_GT(sink.all_spikes.size(), 50u);
  return saved;
}

TEST(SavedParts, SplitBySpansAndStridesAndJoinedAgainAreTheWhole) {
  const models::Network network = mixed_network();
  const State whole = saved_by_all(network, 2).at(500);
  const auto expected = pack(whole);
  const auto& trees = whole.of_cells().at("trees").columns;
  EXPECT_FALSE(trees.at("v").counts.is_one());
  const CellCounts& calcium = trees.at("ion/ca/inside").counts;
  EXPECT_GT(std::ranges::count(calcium.many(), 0u), 0);
  EXPECT_LT(std::ranges::count(calcium.many(), 0u), 23);
  EXPECT_TRUE(whole.of_cells().at("balls").columns.contains("spikes/time"));
  for (const std::uint64_t count : {2u, 3u})
    for (const bool strided : {false, true}) {
      std::vector<State> parts;
      for (std::uint64_t k = count; k-- > 0;) {
        std::map<std::string, CellIndices> cells;
        for (const auto& population : network.populations)
          for (std::uint64_t i = 0; i < population.size; ++i)
            if ((strided ? i % count : i * count / population.size) == k)
              cells[population.name].push_back(i);
        parts.push_back(unpack(pack(StateCutter(whole).cut(cells))));
      }
      EXPECT_EQ(pack(joined(std::move(parts))), expected) << count << strided;
    }
}

TEST(SavedParts, ThreadsDoNotShow) {
  const models::Network network = mixed_network();
  const auto one = saved_by_all(network, 1), three = saved_by_all(network, 3);
  for (const auto& [step, state] : one) EXPECT_EQ(pack(state), pack(three.at(step))) << step;
}

TEST(SavedParts, GoOnTogetherAsTheWholeDoes) {
  const models::Network network = mixed_network();
  const auto saved = saved_by_all(network, 1);
  using models::PlacementKind;
  for (const auto kind : {PlacementKind::blocks, PlacementKind::round_robin, PlacementKind::cost})
    for (const int count : {1, 2, 3, 30}) {  // more than cells of one population
      State later = resumed_in_parts(network, {}, kind, count, saved.at(250), 250, 750, 52);
      for (const char* of_run : {"run/step", "run/spikes"})
        later[of_run] = saved.at(750).of_run().at(of_run);
      EXPECT_EQ(pack(later), pack(saved.at(750))) << count;
    }
}

TEST(SavedParts, ARankRefusesWhatItsCellsAreNotIn) {
  const models::Network network = mixed_network();
  const State whole = saved_by_all(network, 1).at(250);
  const auto kind = models::PlacementKind::blocks;
  const network::Placement first(network, kind, 0, 2), second(network, kind, 1, 2);
  const State half = StateCutter(whole).cut(cells_of(network, first));
  PartOfNetwork part(network, {}, second, 1);
  EXPECT_THROW(part.restore(half, 250, 52, 10, false), StateMismatch);
}

}  // namespace
}  // namespace hillock::simulator
