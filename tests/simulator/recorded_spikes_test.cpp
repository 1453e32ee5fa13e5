#include "simulator/output/recorded_spikes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hillock::simulator {
namespace {

using models::RecordedSpike;
using testing::ElementsAre;
using testing::IsEmpty;

struct RecordedCells {
  std::uint32_t population = 0;
  std::uint64_t begin = 0, end = 0;
};
/// Populations of ten cells, "a", "b" and so on, with a recording of spikes for each of `recorded`.
models::Network network_of(std::size_t populations, const std::vector<RecordedCells>& recorded) {
  models::Network network;
  for (std::size_t p = 0; p < populations; ++p)
    network.populations.push_back({std::string(1, static_cast<char>('a' + p)), 0, 10, {}, {}});
  for (const RecordedCells& some : recorded)
    network.recordings.emplace_back().of = {
        PopulationId(some.population), some.begin, some.end, {}};
  return network;
}
/// Of all cells, the last cell first.
std::vector<network::CellSpike> spikes_of(const models::Network& network) {
  std::vector<network::CellSpike> spikes;
  for (std::uint64_t cell = network.cell_count(); cell-- > 0;)
    spikes.push_back({static_cast<double>(cell) / 4, CellId(cell)});
  return spikes;
}

TEST(RecordedSpikes, AreThoseOfTheRecordedCellsByPopulationAndInTheirOrder) {
  const models::Network network = network_of(5, {{3, 8, 10}, {1, 0, 2}, {3, 1, 2}, {4, 0, 1}});
  RecordedSpikes recorded(network);
  EXPECT_THAT(recorded.populations(), ElementsAre("d", "b", "e"));
  const auto some = recorded.by_population(spikes_of(network));
  ASSERT_EQ(some.size(), 3U);
  EXPECT_THAT(some[0],
              ElementsAre(RecordedSpike{9.75, 9}, RecordedSpike{9.5, 8}, RecordedSpike{7.75, 1}));
  EXPECT_THAT(some[1], ElementsAre(RecordedSpike{2.75, 1}, RecordedSpike{2.5, 0}));
  EXPECT_THAT(some[2], ElementsAre(RecordedSpike{10, 0}));
}

TEST(RecordedSpikes, AreThereOnceHoweverManyRecordingsNameTheCell) {
  const models::Network network = network_of(2, {{1, 4, 7}, {1, 5, 6}, {1, 6, 9}, {1, 4, 4}});
  const auto some = RecordedSpikes(network).by_population(spikes_of(network));
  ASSERT_EQ(some.size(), 1U);
  EXPECT_THAT(some[0],
              ElementsAre(RecordedSpike{4.5, 8}, RecordedSpike{4.25, 7}, RecordedSpike{4, 6},
                          RecordedSpike{3.75, 5}, RecordedSpike{3.5, 4}));
}

TEST(RecordedSpikes, OfVariablesAreNone) {
  models::Network network = network_of(1, {{0, 0, 10}});
  network.recordings.back().variable.emplace();
  EXPECT_THAT(RecordedSpikes(network).populations(), IsEmpty());
  EXPECT_THAT(RecordedSpikes(network).by_population(spikes_of(network)), IsEmpty());
}

}  // namespace
}  // namespace hillock::simulator
