// Point processes that are given one by one are what projections make of the same synapses.

#include <gtest/gtest.h>

#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

/// Where row i of the connections below leads: every compartment of a dendrite once a cell.
constexpr int listed_places = 4;
constexpr std::uint32_t listed_cells = 6;

models::Network two_branches() {
  models::Network network = passive_network(listed_cells);
  network.run.dt_ms = 0.025;
  network.run.steps = 1600;
  network.run.duration_ms = 40;
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology = models::Morphology{
      {cylinder("soma", -1, 20, 20, 1), cylinder("dend[0]", 0, 200, 2, listed_places)}};
  cell.regions[0] = passive(1e-4, -65);
  cell.regions[0].mechanisms.push_back({"hh", {}, {}});
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  drive(network, 0, 0, listed_cells, 40);
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("dend[0]", 0.9));
  network.recordings.back().stop_ms = 40;
  return network;
}

/// `again`: how many connections each place has.
models::Projection onto_each_place(const models::Network& network, int again) {
  models::Projection p;
  p.name = "onto each place";
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::list;
  models::ConnectionRows& rows = p.connect.rows;
  for (std::uint32_t target = 0; target < listed_cells; ++target)
    for (std::uint32_t piece = 0; piece < listed_places; ++piece)
      for (int k = 0; k < again; ++k) {
        rows.sources.push_back((target + piece + static_cast<std::uint32_t>(k) + 1) % listed_cells);
        rows.targets.push_back(target);
        rows.weights.push_back(0.002 + 0.0005 * piece);
        rows.branches.push_back(1);
        rows.positions.push_back((piece + 0.5) / listed_places);
      }
  rows.listed = rows.size();
  p.delay.base_ms = 1.5;
  models::Locations listed;
  listed.kind = models::Locations::Kind::listed;
  p.link = models::Synapse{{"tmsyn", {{"tau_rec", 300.0}}, {}}, listed, again > 1};
  return p;
}

/// The same rows onto points, which are listed from the last to the first.
void onto_points(models::Network& network, models::Projection p, int again) {
  models::PointList list;
  list.name = "points";
  list.mechanism = std::get<models::Synapse>(p.link).mechanism;
  list.mechanism.parameters.clear();
  const auto count = static_cast<std::uint32_t>(listed_cells * listed_places);
  list.columns.push_back({"tau_rec", std::vector<double>(count, 300)});
  models::ConnectionRows& rows = p.connect.rows;
  for (std::uint32_t point = count; point-- > 0;) {
    list.cells.push_back(point / listed_places);
    list.branches.push_back(1);
    list.positions.push_back((point % listed_places + 0.5) / listed_places);
  }
  list.sort_by_cell(listed_cells);
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    rows.points.push_back(count - 1 - row / static_cast<std::uint32_t>(again));
  auto& synapse = std::get<models::Synapse>(p.link);
  synapse.points = network.points.size();
  synapse.shared = false;
  network.points.push_back(list);
  network.projections.push_back(p);
}

TEST(ListedPoints, AreTheInstancesThatAProjectionWouldMake) {
  for (const int again : {1, 3}) {
    models::Network made = two_branches(), listed = two_branches();
    made.projections.push_back(onto_each_place(made, again));
    onto_points(listed, onto_each_place(listed, again), again);
    const MemorySink expected = simulate(made);
    ASSERT_GT(expected.all_spikes.size(), 10U);
    const MemorySink found = simulate(listed);
    EXPECT_EQ(found.all_spikes.size(), expected.all_spikes.size());
    EXPECT_EQ(found.reports, expected.reports) << again << " connections a point";
  }
}

TEST(ListedPoints, HaveValuesOfTheirOwn) {
  models::Network made = two_branches(), listed = two_branches();
  made.projections.push_back(onto_each_place(made, 1));
  onto_points(listed, onto_each_place(listed, 1), 1);
  listed.points[0].columns[0].values[5] = 900;
  EXPECT_NE(simulate(listed).reports, simulate(made).reports);
}

TEST(ListedPoints, AreRecordedOneByOne) {
  models::Network network = two_branches();
  onto_points(network, onto_each_place(network, 1), 1);
  for (std::uint32_t point = 0; point < listed_cells * listed_places; point += 5)
    network.points[0].columns[0].values[point] = 900;  // each has another course then
  const models::RecordedVariable g{models::RecordedVariable::Kind::mechanism_variable, "tmsyn", "g",
                                   "uS"};
  for (int piece = 0; piece < listed_places; ++piece)
    record(network, g, at("dend[0]", (piece + 0.5) / listed_places));
  record(network, g, {});
  network.recordings.back().points = {0, 3, listed_cells * listed_places};
  for (models::Recording& recording : network.recordings) recording.stop_ms = 40;
  const MemorySink found = simulate(network);
  ASSERT_EQ(found.reports.size(), 2U + listed_places);
  const std::vector<double>& by_point = found.reports.back();
  constexpr std::size_t columns = listed_cells * listed_places - 3;
  ASSERT_EQ(by_point.size() % columns, 0U);
  const std::size_t rows = by_point.size() / columns;
  std::size_t column = 0;
  for (std::size_t cell = 0; cell < listed_cells; ++cell)  // columns are by cell, then by number
    for (std::size_t piece = listed_places; piece-- > 0;) {
      const std::size_t point = listed_cells * listed_places - 1 - (cell * listed_places + piece);
      if (point < 3) continue;
      for (std::size_t row = 0; row < rows; ++row)
        ASSERT_EQ(by_point[row * columns + column],
                  found.reports[1 + piece][row * listed_cells + cell])
            << "point " << point << ", row " << row;
      ++column;
    }
  EXPECT_EQ(column, columns);
}

TEST(ListedPoints, NeverBecomeOne) {
  models::Network network = two_branches();
  network.stimuli.clear();
  models::PointList list;
  list.mechanism = {"expsyn", {}, {}};
  list.cells = {2, 2, 2};
  list.branches = {1, 1, 1};
  list.positions = {0.1, 0.1, 0.1};
  list.sort_by_cell(listed_cells);
  network.points.push_back(list);
  const mechanisms::Registry mechanisms;
  const network::Placement placement(network, PlacementKind::blocks, 0, 1);
  Activity activity;
  NetworkPlan plan =
      outline_network(network, mechanisms, {&placement, 1, Connections::made, &activity});
  std::size_t instances = 0;
  for (std::size_t range = 0; range < plan.made.size(); ++range)
    for (const PointSet& set : make_range(plan, range, activity).points) instances += set.count();
  EXPECT_EQ(instances, 3U);
}

TEST(ListedPoints, GiveTheSameBytesOnThreadsAndRanks) {
  models::Network network = two_branches();
  onto_points(network, onto_each_place(network, 2), 2);
  const MadeOnRanks expected = simulate_on(network, {});
  ASSERT_GT(expected.sink.all_spikes.size(), 10U);
  for (const int ranks : {2, 4}) {
    const How how{ranks, ExchangeKind::all};
    expect_same(network, simulate_on(network, how), expected, words_of(how, PlacementKind::cost));
  }
  SimulationOptions two_threads;
  two_threads.threads = 2;
  EXPECT_EQ(simulate(network, two_threads).reports, simulate(network).reports);
}

}  // namespace
}  // namespace hillock::simulator
