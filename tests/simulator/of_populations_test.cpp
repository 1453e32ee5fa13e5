#include "simulator/plan/range/of_populations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hillock::simulator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

models::PopulationSlice all_of(std::uint32_t population) {
  models::PopulationSlice slice;
  slice.population = PopulationId(population);
  slice.end = 2;
  return slice;
}

models::Network three_populations() {
  models::Network network;
  network.cells.resize(1);
  network.cells[0].kind = models::CableCell();
  for (int p = 0; p < 3; ++p) network.populations.emplace_back().size = 2;
  const auto connect = [&](std::uint32_t from, std::uint32_t to, bool gap) {
    models::Projection& projection = network.projections.emplace_back();
    projection.from = all_of(from);
    projection.to = all_of(to);
    if (gap)
      projection.link = models::GapJunction();
    else
      projection.link = models::Synapse();
  };
  connect(0, 1, false);
  connect(1, 2, true);
  connect(2, 2, true);
  connect(1, 2, false);
  const auto record = [&](std::uint32_t population, bool variable) {
    models::Recording& recording = network.recordings.emplace_back();
    recording.of = all_of(population);
    if (variable) recording.variable.emplace();
  };
  record(2, true);
  record(1, false);
  record(2, true);
  record(0, true);
  return network;
}

TEST(OfPopulations, HaveWhatConcernsThemInTheModelsOrder) {
  const models::Network network = three_populations();
  const OfPopulations of(network);
  EXPECT_THAT(of.projections, ElementsAre(IsEmpty(), ElementsAre(0, 1), ElementsAre(1, 2, 3)));
  EXPECT_THAT(of.recordings, ElementsAre(ElementsAre(3), IsEmpty(), ElementsAre(0, 2)));
  EXPECT_EQ(of.report_of[0], 0U);
  EXPECT_EQ(of.report_of[2], 1U);
  EXPECT_EQ(of.report_of[3], 2U);
  EXPECT_THAT(of.first_cells, ElementsAre(CellId(0), CellId(2), CellId(4)));
}

TEST(OfPopulations, KnowWhichEndsOfBranchesAreInUse) {
  models::Network network = three_populations();
  models::Locations end;
  end.kind = models::Locations::Kind::position;
  end.position = 1;
  network.recordings[0].at = end;
  network.recordings[2].at.kind = models::Locations::Kind::tips;
  models::Locations middle = end;
  middle.position = 0.5;
  network.recordings[3].at = middle;
  const OfPopulations of(network);
  ASSERT_EQ(of.ends.size(), 1U);
  EXPECT_THAT(of.ends[0].at, testing::Contains(&network.recordings[0].at));
  EXPECT_THAT(of.ends[0].at, testing::Contains(&network.recordings[2].at));
  EXPECT_THAT(of.ends[0].at, testing::Not(testing::Contains(&network.recordings[3].at)));
}

}  // namespace
}  // namespace hillock::simulator
