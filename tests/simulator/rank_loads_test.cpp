// What is told of ranks before anything is built: cells' costs, shares, memory.

#include "simulator/ranks/rank_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulator/plan/network/cell_costs.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

models::Cell cable(int compartments, std::vector<std::string> mechanisms) {
  models::CableCell body;
  body.morphology = models::Morphology{{cylinder("soma", -1, 100, 10, compartments)}};
  models::RegionSettings all;
  all.region.name = "all";
  all.cm_uF_per_cm2 = 1.0;
  all.Ra_ohm_cm = 100.0;
  for (const std::string& name : mechanisms) all.mechanisms.push_back({name, {}, {}});
  body.regions = {all};
  return {"c", body, {}};
}

/// 1,000 small cells and 100 large ones with hh, to which the small ones lead.
models::Network two_kinds() {
  models::Network network;
  network.run.dt_ms = 0.025;
  network.run.steps = 40;
  network.cells = {cable(1, {"pas"}), cable(50, {"hh"})};
  network.populations.push_back({"small", 0, 1000, {}, {}});
  network.populations.push_back({"large", 1, 100, {}, {}});
  models::Projection p;
  p.from = {PopulationId(0), 0, 1000, {}};
  p.to = {PopulationId(1), 0, 50, {}};
  p.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  p.connect.number = 200;
  p.link = models::Synapse{{"expsyn", {{"tau", 2.0}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  p.weight = 0.001;
  p.delay.base_ms = 1.0;
  network.projections.push_back(p);
  return network;
}

TEST(CellCosts, GrowWithCompartmentsMechanismsAndConnections) {
  const models::Network network = two_kinds();
  const network::CellCosts costs = cell_costs(network, {});
  ASSERT_EQ(costs.size(), 2u);
  ASSERT_EQ(costs[0].size(), 1u);
  EXPECT_EQ(costs[0][0].end, 1000u);
  ASSERT_EQ(costs[1].size(), 2u);  // those that are targets, and the rest
  EXPECT_EQ(costs[1][0].end, 50u);
  EXPECT_EQ(costs[1][1].end, 100u);
  EXPECT_GT(costs[1][0].cost, costs[1][1].cost);
  EXPECT_GT(costs[1][1].cost, 50 * costs[0][0].cost);
}

TEST(CellCosts, OfRandomTreesAreThoseOfAFewOfThem) {
  models::Network network = two_kinds();
  models::RandomTree tree;
  auto& body = std::get<models::CableCell>(network.cells[0].kind);
  tree.depth = 4;
  body.morphology = tree;
  const network::CellCosts costs = cell_costs(network, {});
  ASSERT_EQ(costs[0].size(), 1u);
  EXPECT_EQ(costs[0][0].cost, cell_costs(network, {})[0][0].cost);
  EXPECT_GT(costs[0][0].cost, 20'000u);
}

TEST(RankLoads, TellWhatEveryRankHas) {
  models::Network network = two_kinds();
  for (const auto kind : {models::PlacementKind::cost, models::PlacementKind::blocks,
                          models::PlacementKind::round_robin})
    for (const int ranks : {1, 3, 8}) {
      network.run.placement = kind;
      const RankLoads loads = load_ranks(network, {}, {.ranks = ranks});
      ASSERT_EQ(loads.ranks.size(), static_cast<std::size_t>(ranks));
      std::uint64_t cells = 0, compartments = 0, synapses = 0;
      double share = 0, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const RankLoad& load = loads.ranks[static_cast<std::size_t>(rank)];
        const network::Placement placement = place_cells(network, {}, rank, ranks);
        EXPECT_EQ(load.cells, placement.cells_of(PopulationId(0)).size() +
                                  placement.cells_of(PopulationId(1)).size());
        cells += load.cells, compartments += load.compartments, synapses += load.synapses;
        share += load.share, most = std::max(most, load.share);
      }
      EXPECT_EQ(cells, 1100u);
      EXPECT_EQ(compartments, 1000 + 50 * 100u);
      EXPECT_EQ(synapses, 50 * 200u);
      EXPECT_NEAR(share, 1, 1e-9);
      // Of the expected cost a rank has its part, give or take a large cell's.
      if (kind == models::PlacementKind::cost) {
        EXPECT_LT(most, 1.0 / ranks + 0.011);
      }
      EXPECT_EQ(loads.epoch_steps, 40);
    }
}

TEST(RankLoads, OfOneRankAreThoseOfASimulation) {
  const models::Network network = two_kinds();
  SimulationOptions expected;
  expected.connections = Connections::expected;
  const SimulationCounts counts = Simulation(network, expected).counts();
  const RankLoad load = load_ranks(network, {}, {}).ranks[0];
  EXPECT_EQ(load.cells, counts.cells);
  EXPECT_EQ(load.compartments, counts.compartments);
  EXPECT_EQ(load.synapses, counts.synapses);
  // Ranges are cut a little otherwise; sizes that are summed are the same.
  const auto near = [](std::uint64_t a, std::uint64_t b) {
    return std::abs(static_cast<double>(a) / static_cast<double>(b) - 1);
  };
  EXPECT_LT(near(load.state_bytes, counts.state_bytes), 0.05);
  EXPECT_LT(near(load.connection_bytes, counts.connection_memory.kept), 0.05);
}

/// Each range of cells has an index of the sources of its own.
TEST(RankLoads, CountWhatEachRangeOfCellsHasOfItsConnections) {
  models::Network network = two_kinds();
  network.populations[0].size = network.projections[0].from.end = 20'000;
  network.populations[1].size = network.projections[0].to.end = 2'000;
  network.projections[0].connect.number = 3;
  for (const int threads : {1, 8, 32}) {
    SimulationOptions expected;
    expected.connections = Connections::expected;
    expected.threads = threads;
    const SimulationCounts counts = Simulation(network, expected).counts();
    const RankLoad load = load_ranks(network, {}, {.threads = threads}).ranks[0];
    EXPECT_NEAR(static_cast<double>(load.connection_bytes) /
                    static_cast<double>(counts.connection_memory.kept),
                1, 0.03)
        << threads;
  }
}

TEST(RankLoads, EventsOfABurstAreExpectedWhereAStimulusIs) {
  models::Network network = two_kinds();
  EXPECT_EQ(load_ranks(network, {}, {}).ranks[0].event_bytes, 0u);
  models::Stimulus stimulus;
  models::CurrentClamp clamp;
  clamp.at = at("soma", 0.5);
  stimulus.kind = clamp;
  stimulus.to = {PopulationId(0), 0, 1, {}};
  network.stimuli.push_back(stimulus);
  const std::uint64_t one_delay = load_ranks(network, {}, {}).ranks[0].event_bytes;
  EXPECT_GT(one_delay, 10'000 * 24u);      // all events, in an epoch of 1 ms
  EXPECT_LT(one_delay, 2 * 10'000 * 48u);  // and of each spike and range an arrival
  network.run.dt_ms = 0.01, network.projections[0].delay.base_ms = 0.01;
  EXPECT_LT(load_ranks(network, {}, {}).ranks[0].event_bytes, one_delay / 20);
}

TEST(RankLoads, GapJunctionsAreOfTheRanksThatHaveTheirEnds) {
  models::Network network = two_kinds();
  models::Projection& p = network.projections[0];
  p.link = models::GapJunction{};
  std::get<models::GapJunction>(p.link).at = at("soma", 0.5);
  std::get<models::GapJunction>(p.link).peer_at = at("soma", 0.5);
  std::get<models::GapJunction>(p.link).g_uS = 0.001;
  SimulationOptions expected;
  expected.connections = Connections::expected;
  const SimulationCounts counts = Simulation(network, expected).counts();
  ASSERT_EQ(counts.gap_junctions, 50 * 200u);
  const RankLoads one = load_ranks(network, {}, {});
  EXPECT_EQ(one.epoch_steps, 1);
  EXPECT_EQ(one.ranks[0].connection_bytes, counts.connection_memory.kept);
  EXPECT_GT(one.ranks[0].connection_bytes, 50 * 200 * 128u);
  std::uint64_t together = 0;
  for (const RankLoad& load : load_ranks(network, {}, {.ranks = 4}).ranks)
    together += load.connection_bytes;
  EXPECT_NEAR(static_cast<double>(together) / static_cast<double>(counts.connection_memory.kept), 1,
              1e-3);
}

/// 300 point neurons, and 300 that each of them leads to, a second later.
models::Network point_neurons() {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.steps = 40;
  network.cells.push_back({"i", models::ArtificialCell{{"izhikevich", {}, {}}}, {}});
  network.populations.push_back({"sources", 0, 300, {}, {}});
  network.populations.push_back({"targets", 0, 300, {}, {}});
  models::Projection p;
  p.from = whole(network, 0);
  p.to = whole(network, 1);
  p.connect.kind = models::ConnectionRule::Kind::one_to_one;
  p.weight = 1.0;
  p.delay.base_ms = 1000.0;
  network.projections.push_back(p);
  return network;
}

void expect_bound(const models::Network& network) {
  const auto bytes = static_cast<double>(load_ranks(network, {}, {}).ranks[0].bytes(0, 0));
  EXPECT_FALSE(surely_take_less(1.5 * bytes, network, {}, {}));
  EXPECT_TRUE(surely_take_less(2e9, network, {}, {}));
}

TEST(RankLoads, ABoundIsFarAboveThem) {
  expect_bound(two_kinds());
}

TEST(RankLoads, ABoundIsAboveWhatIsOnItsWayToPointNeurons) {
  models::Network network = point_neurons();
  EXPECT_GT(load_ranks(network, {}, {}).ranks[0].ring_bytes, 300 * 10'000 * sizeof(double));
  expect_bound(network);
  models::Projection& list = network.projections[0];
  list.connect.kind = models::ConnectionRule::Kind::list;
  list.delay.base_ms = 1.0;
  list.connect.rows = {{0, 1, 2}, {5, 6, 6}, {}, {1.0, 1000.0, 2.0}, {}, {}, 3};
  EXPECT_GT(load_ranks(network, {}, {}).ranks[0].ring_bytes, 300 * 10'000 * sizeof(double));
  expect_bound(network);
}

TEST(RankLoads, ABoundIsAboveRecordedPointNeurons) {
  models::Network network = point_neurons();
  network.projections[0].delay.base_ms = 40.0;
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "izhikevich", "v", "mV", 0},
         at("cell", 0.5));
  network.recordings[0].stop_ms = 1000;
  const RankLoad load = load_ranks(network, {}, {}).ranks[0];
  EXPECT_EQ(load.columns[0], 300u);
  EXPECT_GT(load.sample_bytes, 300 * 400 * sizeof(double));
  expect_bound(network);
}

TEST(RankLoads, ABoundIsAboveRecordedWeights) {
  models::Network network = point_neurons();
  models::Projection& plastic = network.projections[0];
  plastic.connect.kind = models::ConnectionRule::Kind::all_to_all;
  plastic.delay.base_ms = 40.0;
  plastic.stdp.emplace().w_max = 2;
  record(network, {models::RecordedVariable::Kind::weight, "", "", "", 0}, {});
  network.recordings[0].of = plastic.to;
  network.recordings[0].every_ms = network.run.dt_ms;
  EXPECT_EQ(load_ranks(network, {}, {}).ranks[0].columns[0], 300 * 300u);
  expect_bound(network);
}

TEST(RankLoads, OfRanksWithoutCellsAreNothing) {
  models::Network network = two_kinds();
  network.populations.pop_back();
  network.populations[0].size = 3;
  network.projections.clear();
  const RankLoads loads = load_ranks(network, {}, {.ranks = 5});
  const auto idle = std::ranges::count_if(
      loads.ranks, [](const RankLoad& load) { return load.cells == 0 && load.bytes(0, 0) == 0; });
  EXPECT_EQ(idle, 2);
}

}  // namespace
}  // namespace hillock::simulator
