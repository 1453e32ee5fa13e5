// Point processes that are given one by one, and connections onto them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/hdf5_making.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReadResult read_points(const ModelFolder& folder, const std::string& points,
                       const std::string& more = "") {
  folder.write("model.yaml", with_base("points:\n  each: {" + points + "}\n" + more));
  return read(folder);
}

const std::string onto_each =
    "projections:\n  - {from: a, to: b, synapse: {points: each}, connect: {list: {csv: "
    "edges.csv}}, weight: 1 nS, delay: 1 ms}\n";

TEST(Points, AreSortedByTheirCells) {
  const ModelFolder folder;
  folder.write("points.csv",
               "tau2,branch,cell,position\n2,1,7,0.5\n3,0,2,0\n4,4,7,1\n5,2,0,0.25\n");
  const auto result = read_points(
      folder, "on: b, exp2syn: {tau1: \"0.2 ms + 0.1 ms * r\"}, list: {csv: points.csv}");
  ASSERT_THAT(result.errors(), IsEmpty());
  const models::PointList& list = result.network.points.at(0);
  EXPECT_EQ(list.name, "each");
  EXPECT_EQ(list.on.value, 1U);
  EXPECT_EQ(list.mechanism.name, "exp2syn");
  EXPECT_TRUE(list.mechanism.parameters.contains("tau1"));
  EXPECT_THAT(list.cells, ElementsAre(7, 2, 7, 0));
  EXPECT_THAT(list.branches, ElementsAre(1, 0, 4, 2));
  EXPECT_THAT(list.positions, ElementsAre(0.5, 0, 1, 0.25));
  ASSERT_EQ(list.columns.size(), 1U);
  EXPECT_EQ(list.columns[0].variable, "tau2");
  EXPECT_THAT(list.columns[0].values, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(list.on_cell(7), ElementsAre(0, 2));
  EXPECT_THAT(list.on_cell(0), ElementsAre(3));
  EXPECT_THAT(list.on_cell(9), IsEmpty());
}

TEST(Points, AreTheTargetsOfRows) {
  const ModelFolder folder;
  MadeHdf5(folder.path() / "points.h5")
      .numbers("/e/cell", {7, 2})
      .numbers("/e/branch", {1, 0})
      .numbers("/e/position", {0.5, 0});
  folder.write("edges.csv", "source,target,weight\n3,1,0.001\n0,0,0.002\n4,1,0.003\n");
  const auto result =
      read_points(folder, "on: b, expsyn: {}, list: {hdf5: points.h5, group: /e}", onto_each);
  ASSERT_THAT(result.errors(), IsEmpty());
  const models::Projection& projection = result.network.projections.at(0);
  EXPECT_EQ(std::get<models::Synapse>(projection.link).points, 0U);
  EXPECT_EQ(std::get<models::Synapse>(projection.link).mechanism.name, "expsyn");
  const models::ConnectionRows& rows = projection.connect.rows;
  EXPECT_THAT(rows.points, ElementsAre(1, 0, 1));
  EXPECT_THAT(rows.targets, ElementsAre(2, 7, 2));
  EXPECT_THAT(rows.branches, ElementsAre(0, 1, 0));
  EXPECT_THAT(rows.positions, ElementsAre(0, 0.5, 0));
  EXPECT_THAT(rows.weights, ElementsAre(0.001, 0.002, 0.003));
}

/// Points on b that read other cells.
struct Joined {
  explicit Joined(const std::string& rows) {
    folder.write("points.csv", "cell,branch,position,g\n7,1,0.5,0.002\n2,0,0,0.001\n");
    folder.write("edges.csv", rows);
  }
  ReadResult read(const std::string& junction) const {
    folder.write("model.yaml",
                 with_base("points:\n  each: {on: b, gap: {}, list: {csv: points.csv}}\n"
                           "projections:\n  - {from: a, to: b, connect: {list: {csv: edges.csv}}, "
                           "gap_junction: {" +
                           junction + "}}\n"));
    return io::read(folder);
  }
  const ModelFolder folder;
};

TEST(Points, AreJoinedToPlacesThatRowsName) {
  const Joined joined("source,target,branch,position\n3,1,0,0.5\n0,0,1,1\n");
  const auto result = joined.read("points: each, peer_at: list");
  ASSERT_THAT(result.errors(), IsEmpty());
  const models::Projection& projection = result.network.projections.at(0);
  const auto& junction = std::get<models::GapJunction>(projection.link);
  EXPECT_EQ(junction.points, 0U);
  EXPECT_EQ(junction.mechanism->name, "gap");
  EXPECT_FALSE(junction.is_mutual());
  const models::ConnectionRows& rows = projection.connect.rows;
  EXPECT_THAT(rows.points, ElementsAre(1, 0));
  EXPECT_THAT(rows.targets, ElementsAre(2, 7));
  EXPECT_THAT(rows.branches, ElementsAre(0, 1));
  EXPECT_THAT(rows.positions, ElementsAre(0.5, 1));
}

TEST(Points, ThatReadElsewhereHaveOneJunctionEach) {
  const auto errors_of = [](const std::string& rows, const std::string& junction) {
    return Joined(rows).read(junction).errors();
  };
  EXPECT_THAT(errors_of("source,target\n3,1\n0,0\n", "points: each, peer_at: soma(0.5)"),
              IsEmpty());
  EXPECT_THAT(errors_of("source,target\n3,1\n", "points: each, peer_at: soma(0.5)"),
              ElementsAre(HasSubstr("point 0 of each has 0 gap junctions that set its vgap")));
  EXPECT_THAT(errors_of("source,target\n3,1\n0,0\n4,1\n", "points: each, peer_at: soma(0.5)"),
              ElementsAre(HasSubstr("point 1 of each has 2 gap junctions")));
  EXPECT_THAT(errors_of("source,target\n3,1\n0,0\n", "points: each, peer_at: list"),
              ElementsAre(HasSubstr("peer_at: list needs a list of connections whose rows")));
  EXPECT_THAT(errors_of("source,target,branch,position\n3,1,0,0.5\n0,0,1,1\n",
                        "points: each, peer_at: soma(0.5)"),
              ElementsAre(HasSubstr("then the gap junction needs peer_at: list")));
  EXPECT_THAT(errors_of("source,target\n3,1\n0,0\n", "points: other, peer_at: soma(0.5)"),
              ElementsAre(HasSubstr("other")));
  EXPECT_THAT(errors_of("source,target\n3,2\n0,0\n", "points: each, peer_at: soma(0.5)"),
              ElementsAre(HasSubstr("the target 2 is no point of each")));
}

TEST(Points, ThatReadNothingElsewhereAreNotJoined) {
  const ModelFolder folder;
  folder.write("points.csv", "cell,branch,position\n7,1,0.5\n");
  folder.write("edges.csv", "source,target\n3,0\n");
  const auto result =
      read_points(folder, "on: b, expsyn: {}, list: {csv: points.csv}",
                  "projections:\n  - {from: a, to: b, connect: {list: {csv: "
                  "edges.csv}}, gap_junction: {points: each, peer_at: soma(0.5)}}\n");
  EXPECT_THAT(result.errors(), ElementsAre(HasSubstr("expsyn has no RANGE variable vgap")));
}

TEST(Points, HaveParametersThatFollowTables) {
  const ModelFolder folder;
  folder.write("points.csv", "cell,branch,position\n7,0,0.5\n2,0,0.5\n");
  folder.write("table.csv", "time,value\n1,3\n4,5\n");
  const auto played = [&](const std::string& play) {
    return read_points(folder,
                       "on: b, expsyn: {e: 0 mV}, list: {csv: points.csv}, play: [" + play + "]");
  };
  const auto result = played(
      "{point: 1, variable: tau, csv: table.csv}, "
      "{point: 0, variable: e, times: [2 ms, 2 ms], values: [-5 mV, 1 mV]}");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& tables = result.network.points.at(0).played;
  ASSERT_EQ(tables.size(), 2U);
  using Row = std::pair<double, double>;
  EXPECT_EQ(tables[0].point, 0U);  // by point, not by entry
  EXPECT_THAT(tables[0].table, ElementsAre(Row(-1e15, -5), Row(2, -5), Row(2, 1), Row(1e15, 1)));
  EXPECT_EQ(tables[1].point, 1U);
  EXPECT_EQ(tables[1].variable, "tau");
  EXPECT_THAT(tables[1].table, ElementsAre(Row(-1e15, 3), Row(1, 3), Row(4, 5), Row(1e15, 5)));
  MadeHdf5(folder.path() / "tables.h5")
      .numbers("/of/time", {1, 4})
      .numbers("/of/value", {3, 5})
      .numbers("/half/time", {1});
  const auto of_datasets = played("{point: 1, variable: tau, hdf5: tables.h5, group: /of}");
  ASSERT_THAT(of_datasets.errors(), IsEmpty());
  EXPECT_EQ(of_datasets.network.points.at(0).played.at(0).table, tables[1].table);
  const auto error_of = [&](const std::string& play) { return played(play).errors(); };
  EXPECT_THAT(error_of("{point: 1, variable: tau, hdf5: tables.h5, group: /half}"),
              ElementsAre(HasSubstr("needs the columns time, in ms, and value")));
  EXPECT_THAT(error_of("{point: 1, variable: tau, hdf5: tables.h5, times: [0 ms]}"),
              ElementsAre(HasSubstr("hdf5 has times and values; write one of them")));
  EXPECT_THAT(error_of("{point: 2, variable: e, csv: table.csv}"),
              ElementsAre(HasSubstr("there is no point 2 (the list has 2, counted from 0)")));
  EXPECT_THAT(error_of("{point: 0, variable: g, csv: table.csv}"),
              ElementsAre(HasSubstr("expsyn has no parameter 'g'")));
  EXPECT_THAT(error_of("{point: 0, variable: e, times: [2 ms, 1 ms], values: [0 mV, 1 mV]}"),
              ElementsAre(HasSubstr("row 1: times must be numbers, and not fall")));
  EXPECT_THAT(error_of("{point: 0, variable: e, times: [2 ms], values: [0 mV, 1 mV]}"),
              ElementsAre(HasSubstr("1 time and 2 values")));
  EXPECT_THAT(error_of("{point: 0, variable: tau, times: [2 ms], values: [-1 ms]}"),
              ElementsAre(HasSubstr("play[0].values[0]: -1 ms must be positive")));
  folder.write("table.csv", "time,value\n1,3\n4,-5\n");
  EXPECT_THAT(error_of("{point: 1, variable: tau, csv: table.csv}"),
              ElementsAre(HasSubstr("row 1: tau = -5 ms")));
  EXPECT_THAT(read_points(folder,
                          "on: b, exp2syn: {}, list: {csv: points.csv}, play: "
                          "[{point: 0, variable: tau2, times: [2 ms], values: [1 ms]}]")
                  .errors(),
              ElementsAre(HasSubstr("exp2syn's tau2 cannot be played: steps read what was made")));
}

TEST(Membranes, HaveParametersThatFollowTables) {
  const ModelFolder folder;
  const auto played = [&](const std::string& stimulus) {
    folder.write("model.yaml", with_base("stimuli:\n  - {to: b, " + stimulus + "}\n"));
    return read(folder);
  };
  const auto result = played(
      "at: [soma(0.5), soma(1)], play: {mechanism: pas, variable: e, times: [2 ms, 3 ms], "
      "values: [-70 mV, -60 mV]}");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& into = std::get<models::PlayedParameter>(result.network.stimuli.at(0).kind);
  using Row = std::pair<double, double>;
  EXPECT_THAT(into.table, ElementsAre(Row(-1e15, -70), Row(2, -70), Row(3, -60), Row(1e15, -60)));
  ASSERT_EQ(into.at.size(), 2U);
  EXPECT_EQ(into.at[1].position, 1);
  const std::string table = ", times: [2 ms], values: [1]";
  EXPECT_THAT(played("at: soma(0.5), play: {mechanism: expsyn, variable: e" + table + "}").errors(),
              ElementsAre(HasSubstr("there is no mechanism 'expsyn' of membranes")));
  EXPECT_THAT(played("at: soma(0.5), play: {mechanism: pas, variable: f" + table + "}").errors(),
              ElementsAre(HasSubstr("pas has no parameter 'f'")));
}

TEST(Points, AreRecordedOneByOne) {
  const ModelFolder folder;
  folder.write("points.csv", "cell,branch,position\n7,0,0.5\n2,0,0.5\n9,0,0.5\n");
  const auto recorded = [&](const std::string& what) {
    return read_points(folder, "on: b, expsyn: {}, list: {csv: points.csv}",
                       "record:\n  - {name: g, " + what + ", every: 1 ms}\n");
  };
  const auto result = recorded("points: \"each[1:]\", variable: g");
  ASSERT_THAT(result.errors(), IsEmpty());
  const models::Recording& recording = result.network.recordings.at(0);
  ASSERT_TRUE(recording.points);
  EXPECT_EQ(recording.points->list, 0U);
  EXPECT_EQ(recording.points->begin, 1U);
  EXPECT_EQ(recording.points->end, 3U);
  EXPECT_EQ(recording.of.population.value, 1U);
  EXPECT_EQ(recording.of.begin, 2U);
  EXPECT_EQ(recording.of.end, 10U);
  EXPECT_EQ(recording.variable->mechanism, "expsyn");
  EXPECT_EQ(recording.variable->unit_text, "uS");
  EXPECT_THAT(recorded("points: each, variable: expsyn.g").errors(), IsEmpty());
  EXPECT_THAT(
      recorded("points: \"each[3]\", variable: g").errors(),
      ElementsAre(HasSubstr("each[3] does not exist: the list has 3 points, the last is [2]")));
  EXPECT_THAT(recorded("points: other, variable: g").errors(),
              ElementsAre(HasSubstr("there is no list of points 'other'")));
  EXPECT_THAT(recorded("points: each, variable: gg").errors(),
              ElementsAre(HasSubstr("expsyn has no variable 'gg'")));
  EXPECT_THAT(recorded("points: each").errors(),
              ElementsAre(HasSubstr("needs the key 'variable'")));
  EXPECT_THAT(recorded("points: each, variable: g, at: all").errors(),
              ElementsAre(HasSubstr("unknown key 'at'")));
}

TEST(Points, AreRefusedWithTheRowThatIsWrong) {
  const ModelFolder folder;
  const auto error_of = [&](const std::string& csv,
                            const std::string& points = "on: b, expsyn: {}") {
    folder.write("points.csv", csv);
    const auto errors = read_points(folder, points + ", list: {csv: points.csv}").errors();
    return errors.size() == 1 ? errors[0] : "no error, or several";
  };
  EXPECT_THAT(error_of("cell,branch\n0,0\n"), HasSubstr("has no 'position'"));
  EXPECT_THAT(error_of("cell,branch,position\n0,0,0.5\n10,0,0.5\n"),
              HasSubstr("row 1: the cell 10 is none of the population's 10"));
  EXPECT_THAT(error_of("cell,branch,position\n0,9,0.5\n"), HasSubstr("the branch 9 is out of"));
  EXPECT_THAT(error_of("cell,branch,position\n0,0,1.5\n"), HasSubstr("the position 1.5 must lie"));
  EXPECT_THAT(error_of("cell,branch,position,taus\n0,0,0.5,2\n"),
              HasSubstr("unknown column 'taus' (cell, branch, position"));
  EXPECT_THAT(error_of("cell,branch,position,tau\n0,0,0.5,0\n"), HasSubstr("row 0: tau = 0 ms"));
  EXPECT_THAT(error_of("cell,branch,position,tau\n0,0,0.5,1\n", "on: b, expsyn: {tau: 2 ms}"),
              HasSubstr("has a column tau, which expsyn has for all points"));
  EXPECT_THAT(error_of("0,0,0.5\n"), HasSubstr("no header line"));
  const std::string good = "cell,branch,position\n0,0,0.5\n";
  EXPECT_THAT(error_of(good, "on: \"b[2:]\", expsyn: {}"), HasSubstr("a whole population"));
  EXPECT_THAT(error_of(good, "on: b"), HasSubstr("points need a mechanism"));
  EXPECT_THAT(error_of(good, "on: b, expsyn: {}, exp2syn: {}"),
              HasSubstr("points have one mechanism, not both"));
  EXPECT_THAT(error_of(good, "on: b, expsyns: {}"), HasSubstr("'expsyns'"));
}

TEST(Points, AreConnectedByListsAlone) {
  const ModelFolder folder;
  folder.write("points.csv", "cell,branch,position\n0,0,0.5\n");
  const auto errors = [&](const std::string& projection) {
    return read_points(
               folder, "on: b, expsyn: {}, list: {csv: points.csv}",
               "projections:\n  - {from: a, weight: 1 nS, delay: 1 ms, " + projection + "}\n")
        .errors();
  };
  EXPECT_THAT(errors("to: b, synapse: {points: each}, connect: {list: [[0, 1]]}"),
              ElementsAre(HasSubstr("the target 1 is no point of each (it has 1, counted")));
  EXPECT_THAT(errors("to: b, synapse: {points: each}, connect: {fixed_indegree: 2}"),
              ElementsAre(HasSubstr("points are connected by a list")));
  EXPECT_THAT(errors("to: b, synapse: {points: eachh}, connect: {list: [[0, 0]]}"),
              ElementsAre(HasSubstr("there is no list of points 'eachh'. Did you mean 'each'?")));
  EXPECT_THAT(errors("to: a, synapse: {points: each}, connect: {list: [[0, 0]]}"),
              ElementsAre(HasSubstr("the points of 'each' lie on b")));
  folder.write("placed.csv", "source,target,branch,position\n0,0,1,0.5\n");
  EXPECT_THAT(errors("to: b, synapse: {points: each}, connect: {list: {csv: placed.csv}}"),
              ElementsAre(HasSubstr("the points of each have their places")));
}

}  // namespace
}  // namespace hillock::io
