// Cutting morphologies into compartments: counts, areas, couplings, places, distances.

#include "solver/cable/compartments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::solver {
namespace {

using models::Branch;
using models::CableCell;
using models::Discretization;
using models::Morphology;
constexpr double pi = std::numbers::pi;

Branch straight(const std::string& name, int parent, double at, double length, double from,
                double to, int compartments = 0) {
  Branch branch{name, name.substr(0, name.find('[')), parent, at, {}, compartments};
  branch.points = {{0, 0, 0, from}, {length, 0, 0, to}};
  return branch;
}

CableCell with_axial(double Ra) {
  CableCell cell;
  models::RegionSettings all;
  all.Ra_ohm_cm = models::Value(Ra);
  cell.regions.push_back(all);
  return cell;
}

TEST(Compartments, ACylinderHasEqualPiecesAndHalfResistancesAtItsEnds) {
  const Morphology cable{{straight("dend", -1, 1, 100, 2, 2, 4)}};
  const Template cell = discretise(cable, with_axial(100));
  ASSERT_EQ(cell.node_count(), 6u);  // end, four compartments, end
  EXPECT_THAT(cell.parent, testing::ElementsAre(-1, 0, 1, 2, 3, 4));
  // Ra·L/A: 100 ohm.cm · 25 um / (π um²) = 7.9577 MOhm between centres. Round-off only.
  const double between_uS = 1 / (0.01 * 100 * 25 / pi);
  EXPECT_NEAR(cell.coupling_uS(1), 2 * between_uS, 1e-14);
  EXPECT_NEAR(cell.coupling_uS(2), between_uS, 1e-14);
  EXPECT_NEAR(cell.coupling_uS(5), 2 * between_uS, 1e-14);
  EXPECT_EQ(cell.area_um2(0), 0);
  EXPECT_NEAR(cell.area_um2(1), pi * 2 * 25, 1e-12);
  EXPECT_EQ(cell.area_um2(5), 0);
  EXPECT_NEAR(cell.capacitance_nF(1), 1e-5 * pi * 2 * 25, 1e-16);
  EXPECT_EQ(cell.compartment_count(), 4u);
}

TEST(Compartments, AConesPiecesAddUpToItsLateralArea) {
  const Morphology cable{{straight("dend", -1, 1, 90, 6, 1, 7)}};
  const Template cell = discretise(cable, with_axial(100));
  double area = 0;
  for (const double a : cell.columns->area_um2) area += a;
  EXPECT_NEAR(area, pi * 3.5 * std::sqrt(90.0 * 90 + 2.5 * 2.5), 1e-10);
}

TEST(Compartments, APiecesResistanceFollowsTheTaper) {
  const Morphology cable{{straight("dend", -1, 1, 100, 4, 1, 1)}};
  const Template cell = discretise(cable, with_axial(150));
  // ∫ 4 dx / (π d²) over a linear taper from d0 to d1 is 4 L / (π d0 d1); the middle is 2.5 um.
  EXPECT_NEAR(1 / cell.coupling_uS(1), 0.01 * 150 * 4 * 50 / (pi * 4 * 2.5), 1e-12);
  EXPECT_NEAR(1 / cell.coupling_uS(2), 0.01 * 150 * 4 * 50 / (pi * 2.5 * 1), 1e-12);
}

TEST(Compartments, ChildrenJoinEndNodesOrTheCompartmentTheySitOn) {
  const Morphology tree{
      {straight("soma", -1, 1, 20, 20, 20, 3), straight("dend[0]", 0, 1, 50, 2, 2, 1),
       straight("dend[1]", 0, 0.5, 50, 2, 2, 1), straight("dend[2]", 0, 0, 50, 2, 2, 1),
       straight("dend[3]", 3, 0, 50, 2, 2, 1)}};
  const Template cell = discretise(tree, with_axial(100));
  EXPECT_EQ(cell.branches[1].start_node, cell.branches[0].end_node);
  EXPECT_EQ(cell.branches[2].start_node, cell.branches[0].first_node + 1);
  EXPECT_EQ(cell.branches[3].start_node, 0);
  EXPECT_EQ(cell.branches[4].start_node, 0);
  EXPECT_FALSE(cell.branches[0].is_tip);
  EXPECT_TRUE(cell.branches[3].is_tip);
}

TEST(Compartments, LongestPieceAndLambdaRulesGiveTheLeastCounts) {
  CableCell cell = with_axial(100);
  cell.discretization.kind = Discretization::Kind::max_length;
  cell.discretization.max_length_um = 20;
  const auto count = [&](double length) {
    return discretise({{straight("dend", -1, 1, length, 2, 2)}}, cell).branches[0].compartments;
  };
  EXPECT_EQ(count(20), 1);
  EXPECT_EQ(count(20.1), 2);
  EXPECT_EQ(count(60), 3);
  // NEURON's nseg = 1 + 2*int(L/40)
  cell.discretization = {Discretization::Kind::odd_pieces, 40};
  EXPECT_EQ(count(39.9), 1);
  EXPECT_EQ(count(40), 3);
  EXPECT_EQ(count(79.9), 3);
  EXPECT_EQ(count(400), 21);
  // λ(100 Hz) = 1e5·sqrt(d / (4π·f·Ra·cm)) um = 398.94 um for 2 um, 100 ohm.cm, 1 uF/cm2
  cell.discretization = {};
  EXPECT_EQ(count(39), 1);
  EXPECT_EQ(count(398.94), 11);
  cell.discretization.d_lambda = 0.5;
  EXPECT_EQ(count(398.94), 3);
}

TEST(Compartments, DistanceRunsAlongTheTreeFromAnyOrigin) {
  Morphology tree{{straight("axon", -1, 1, 100, 1, 1, 1), straight("soma", 0, 1, 20, 20, 20, 1),
                   straight("dend[0]", 1, 1, 50, 2, 2, 1),
                   straight("dend[1]", 0, 0.5, 30, 2, 2, 1)}};
  const auto distances = [&](std::size_t branch, double position) {
    tree.origin = {branch, position};
    const Template cell = discretise(tree, with_axial(100));
    std::vector<double> all;
    for (const auto& b : cell.branches)
      all.push_back(cell.location(static_cast<std::size_t>(b.first_node)).distance_um);
    return all;
  };
  EXPECT_THAT(distances(0, 0), testing::ElementsAre(50, 110, 145, 65));
  EXPECT_THAT(distances(0, 0.25), testing::ElementsAre(25, 85, 120, 40));
  EXPECT_THAT(distances(1, 0), testing::ElementsAre(50, 10, 45, 65));
  EXPECT_THAT(distances(3, 1), testing::ElementsAre(30, 90, 125, 15));
}

TEST(Compartments, DistanceRunsAlongTheTreeFromTheMiddleOfTheSoma) {
  const Morphology tree{
      {straight("axon", -1, 1, 100, 1, 1, 1), straight("soma", 0, 1, 20, 20, 20, 1),
       straight("dend[0]", 1, 1, 50, 2, 2, 1), straight("dend[1]", 0, 0.5, 30, 2, 2, 1)}};
  const Template cell = discretise(tree, with_axial(100));
  const auto distance = [&](std::size_t branch) {
    return cell.location(static_cast<std::size_t>(cell.branches[branch].first_node)).distance_um;
  };
  EXPECT_DOUBLE_EQ(distance(1), 0);
  EXPECT_DOUBLE_EQ(distance(2), 10 + 25);
  EXPECT_DOUBLE_EQ(distance(0), 10 + 50);
  EXPECT_DOUBLE_EQ(distance(3), 10 + 50 + 15);
}

TEST(Compartments, RegionsSelectByNameTagAndDistance) {
  const Morphology tree{
      {straight("soma", -1, 1, 20, 20, 20, 1), straight("dend[0]", 0, 1, 100, 2, 2, 10)}};
  const Template cell = discretise(tree, with_axial(100));
  models::Locations far;
  far.kind = models::Locations::Kind::all;
  far.region.name = "dend";
  far.region.distance_um = {{50.0, 80.0}};
  RandomStream draws(1, Purpose::location, {});
  // Centres lie at 15, 25, … from the soma's middle; 55, 65 and 75 are in the range.
  EXPECT_EQ(resolve(cell, far, draws).size(), 3u);
  far.region.distance_um = {{500.0, 800.0}};
  EXPECT_THROW(resolve(cell, far, draws), InvalidModel);
}

TEST(Compartments, ARegionOfSeveralNamesSetsAllOfThem) {
  CableCell cell = with_axial(100);
  models::RegionSettings several;
  several.region.name = "dend[1]";
  several.region.also = {"apic"};
  several.cm_uF_per_cm2 = models::Value(2);
  cell.regions.push_back(several);
  const Morphology tree{{straight("dend[0]", -1, 1, 100, 2, 2, 1),
                         straight("dend[1]", 0, 1, 100, 2, 2, 1),
                         straight("apic", 0, 1, 100, 2, 2, 1)}};
  const Template cut = discretise(tree, cell);
  std::vector<double> cm;
  for (const DiscreteBranch& branch : cut.branches) {
    const auto node = static_cast<std::size_t>(branch.first_node);
    cm.push_back(std::round(cut.capacitance_nF(node) / cut.area_um2(node) * 1e5));
  }
  EXPECT_THAT(cm, testing::ElementsAre(1, 2, 2));
}

TEST(Compartments, MiddlesAndTipsKeepToADistanceRange) {
  const Morphology tree{{straight("soma", -1, 1, 20, 20, 20, 1),
                         straight("dend[0]", 0, 1, 100, 2, 2, 3),
                         straight("dend[1]", 0, 1, 300, 2, 2, 3)}};
  const Template cell = discretise(tree, with_axial(100));
  models::Locations near;
  near.region.name = "dend";
  near.region.distance_um = {{0.0, 120.0}};
  RandomStream draws(1, Purpose::location, {});
  near.kind = models::Locations::Kind::middles;
  EXPECT_THAT(resolve(cell, near, draws), testing::ElementsAre(node_at(cell, 1, 0.5)));
  near.kind = models::Locations::Kind::tips;
  EXPECT_THAT(resolve(cell, near, draws), testing::ElementsAre(node_at(cell, 1, 1)));
}

TEST(Compartments, UniformDrawsFollowLength) {
  const Morphology tree{{straight("soma", -1, 1, 20, 20, 20, 1),
                         straight("dend[0]", 0, 1, 300, 2, 2, 1),
                         straight("dend[1]", 0, 1, 100, 2, 2, 1)}};
  const Template cell = discretise(tree, with_axial(100));
  models::Locations anywhere;
  anywhere.kind = models::Locations::Kind::uniform;
  anywhere.region.name = "dend";
  int on_long = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    RandomStream draws(1, Purpose::location, {i, 0, 0});
    on_long += resolve(cell, anywhere, draws).front().value == cell.branches[1].first_node;
  }
  // Statistical: n = 4000, p = 3/4, sd = 27.4; five of them.
  EXPECT_NEAR(on_long, 3000, 137);
}

TEST(Compartments, CapacitanceMayFollowTheCompartmentsOwnDiameter) {
  CableCell cell = with_axial(100);
  const auto cm = Expression::parse("1 uF/cm2 * diam / 1 um", unit_of("uF/cm2"), {Variable::diam});
  cell.regions[0].cm_uF_per_cm2 = models::Value(std::get<Expression>(cm), {});
  const Morphology cable{
      {straight("dend[0]", -1, 1, 90, 6, 1, 5), straight("dend[1]", 0, 1, 90, 6, 1, 5)}};
  const Template cut = discretise(cable, cell);
  for (std::size_t n = 0; n < cut.node_count(); ++n)
    EXPECT_DOUBLE_EQ(cut.capacitance_nF(n), 1e-5 * cut.diameter_um(n) * cut.area_um2(n)) << n;
  // Linear along the cone: its mean over a piece is that of the piece's centre.
  EXPECT_NEAR(cut.diameter_um(1), 5.5, 1e-12);
  EXPECT_NEAR(cut.diameter_um(5), 1.5, 1e-12);
  // A rule that cuts by cm takes the branch for one compartment, here of 3.5 um and 3.5 uF/cm2.
  cell.discretization.d_lambda = 0.02;
  const Morphology uncut{{straight("dend", -1, 1, 900, 6, 1)}};
  const std::size_t found = discretise(uncut, cell).compartment_count();
  cell.regions[0].cm_uF_per_cm2 = models::Value(3.5);
  EXPECT_EQ(found, discretise(uncut, cell).compartment_count());
  cell.regions[0].cm_uF_per_cm2 = models::Value(1.0);
  EXPECT_GT(found, discretise(uncut, cell).compartment_count());
}

TEST(Compartments, ARowBelongsToTheCompartmentInWhichItLies) {
  const models::PlacedRows rows{
      "values.csv",
      "cm",
      {{0, 0.5, 9}, {1, 0, 1}, {1, 0.25, 2}, {1, 0.375, 3}, {1, 0.625, 4}, {1, 1, 5}}};
  const auto at = [&](std::size_t branch, int piece, int pieces) {
    return rows.at({branch, piece, pieces}).value_or(-1);
  };
  EXPECT_EQ(at(0, 0, 1), 9);
  EXPECT_EQ(at(1, 0, 1), 3);  // 0.375 and 0.625 are as near to the middle
  EXPECT_EQ(at(1, 0, 2), 2);  // of 0, 0.25 and 0.375
  EXPECT_EQ(at(1, 1, 2), 4);
  EXPECT_EQ(at(1, 0, 4), 1);  // 0.25 is of the next
  EXPECT_EQ(at(1, 1, 4), 3);
  EXPECT_EQ(at(1, 3, 4), 5);
  EXPECT_EQ(at(1, 2, 5), -1);
  EXPECT_EQ(at(2, 0, 1), -1);
}

TEST(Compartments, CapacitanceMayHaveARowForEachCompartment) {
  CableCell cell = with_axial(100);
  models::PlacedRows rows{"values.csv", "cm", {{0, 0.5, 1}}};
  for (int i = 0; i < 5; ++i) rows.rows.push_back({1, (i + 0.5) / 5, 2.0 + i});
  cell.regions[0].cm_uF_per_cm2 = models::Value(rows, {});
  cell.regions[0].cm_uF_per_cm2->keep_within({{}, "cells.c.regions.all.cm"});
  const Morphology tree{
      {straight("soma", -1, 1, 20, 20, 20, 1), straight("dend[0]", 0, 1, 100, 2, 2, 5)}};
  const Template cut = discretise(tree, cell);
  for (int i = 0; i < 5; ++i) {
    const auto node = static_cast<std::size_t>(cut.branches[1].first_node + i);
    EXPECT_EQ(cut.capacitance_nF(node), 1e-5 * (2.0 + i) * cut.area_um2(node));
    EXPECT_EQ(cut.piece_at(NodeId(static_cast<int>(node))).piece, i);
  }
  EXPECT_EQ(cut.piece_at(NodeId(0)).piece, 0);
  EXPECT_EQ(cut.piece_at(NodeId(cut.branches[1].end_node)).piece, 4);
  EXPECT_EQ(cut.piece_at(NodeId(cut.branches[1].end_node)).branch, 1U);
  try {
    discretise({{straight("soma", -1, 1, 20, 20, 20, 1), straight("dend[0]", 0, 1, 100, 2, 2, 6)}},
               cell);
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {  // the middle row is the fourth's
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("cells.c.regions.all.cm: values.csv has no row for dend[0](0.416667) "
                           "(of branch 1, from position 0.333333 to 0.5)"));
  }
}

TEST(Compartments, GivenNumbersAreTakenAsTheyAre) {
  CableCell cell = with_axial(100);
  cell.regions[0].cm_uF_per_cm2 = models::Value(2.0);
  Morphology tree{{straight("soma", -1, 1, 20, 20, 20, 1), straight("dend[0]", 0, 0.5, 90, 2, 2, 3),
                   straight("dend[1]", 1, 1, 90, 2, 2, 3)}};
  models::CompartmentNumbers given;
  given.area_um2 = {1000, 11, 12, 13, 14, 15, 16};
  given.diameter_um = {20, 3, 2, 1, 6, 5, 4};
  given.resistance_MOhm = {0.5, 1, 2, 4, 5, 8, 10};
  given.end_resistance_MOhm = {0.25, 20, 40};
  tree.given = std::make_shared<const models::CompartmentNumbers>(given);
  const Template cut = discretise(tree, cell);
  const Template by_points = discretise({tree.branches}, cell);
  EXPECT_EQ(cut.parent, by_points.parent);
  EXPECT_EQ(cut.columns->locations, by_points.columns->locations);
  EXPECT_THAT(cut.columns->area_um2,
              testing::ElementsAre(0, 1000, 0, 11, 12, 13, 0, 14, 15, 16, 0));
  EXPECT_THAT(cut.columns->coupling_uS,
              testing::ElementsAre(0, 2, 4, 1, 0.5, 0.25, 0.05, 0.2, 0.125, 0.1, 0.025));
  EXPECT_THAT(cut.columns->diameter_um, testing::ElementsAre(20, 20, 20, 3, 2, 1, 1, 6, 5, 4, 4));
  for (std::size_t node = 0; node < cut.node_count(); ++node)
    EXPECT_EQ(cut.capacitance_nF(node), 1e-5 * 2 * cut.area_um2(node));
}

TEST(Compartments, TooManyCompartmentsAreRefusedByName) {
  CableCell cell = with_axial(100);
  cell.discretization.kind = Discretization::Kind::max_length;
  cell.discretization.max_length_um = 1e-6;
  try {
    discretise({{straight("dend[7]", -1, 1, 1000, 2, 2)}}, cell);
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("branch dend[7] would take 1e+09 compartments"));
  }
}

/// Nodes alike in all but where they lie on the tree.
void expect_same_nodes(const Template& a, int from, const Template& b, int to, int count) {
  for (int k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(from + k), j = static_cast<std::size_t>(to + k);
    EXPECT_EQ(a.coupling_uS(i), b.coupling_uS(j));
    EXPECT_EQ(a.area_um2(i), b.area_um2(j));
    EXPECT_EQ(a.diameter_um(i), b.diameter_um(j));
    EXPECT_EQ(a.capacitance_nF(i), b.capacitance_nF(j));
    EXPECT_EQ(a.location(i).position, b.location(j).position);
    EXPECT_EQ(a.location(i).distance_um, b.location(j).distance_um);
    EXPECT_EQ(a.location(i).x_um, b.location(j).x_um);
    EXPECT_EQ(a.location(i).is_compartment, b.location(j).is_compartment);
  }
}

TEST(Compartments, ABranchLikeTheOneBeforeIsWhatItWouldBeAlone) {
  CableCell cell = with_axial(100);
  models::RegionSettings near;
  near.region.name = "tuft";
  near.cm_uF_per_cm2 = models::Value(2.0);
  cell.regions.push_back(near);
  const Branch soma = straight("soma", -1, 1, 20, 20, 20, 1);
  const auto twig = [](const std::string& name, int parent, double at) {
    return straight(name, parent, at, 77, 3, 1, 5);
  };
  // Alike: at the same place, at another, in another region, and once more.
  const Morphology all{{soma, twig("dend[0]", 0, 1), twig("dend[1]", 0, 0.5), twig("dend[2]", 1, 1),
                        twig("tuft[0]", 3, 1), twig("tuft[1]", 3, 1)}};
  const Template together = discretise(all, cell);
  for (std::size_t b = 1; b < all.branches.size(); ++b) {
    // The path from the soma to the branch, each of which is unlike the one before.
    Morphology path;
    std::vector<std::size_t> up{b};
    while (up.back() != 0) up.push_back(static_cast<std::size_t>(all.branches[up.back()].parent));
    for (std::size_t k = up.size(); k-- > 0;) {
      path.branches.push_back(all.branches[up[k]]);
      path.branches.back().parent = static_cast<int>(path.branches.size()) - 2;
      path.branches.push_back(straight("stub[" + std::to_string(k) + "]", 0, 0, 10, 1, 1, 1));
      path.branches.back().parent = static_cast<int>(path.branches.size()) - 2;
    }
    // Stubs stand between, so parents are two back.
    for (std::size_t k = 2; k < path.branches.size(); k += 2)
      path.branches[k].parent = static_cast<int>(k) - 2;
    const Template alone = discretise(path, cell);
    const DiscreteBranch& one = alone.branches[alone.branches.size() - 2];
    expect_same_nodes(together, together.branches[b].first_node, alone, one.first_node, 6);
  }
}

TEST(Compartments, PlacesByLengthAreThoseOfUniform) {
  const Morphology tree{{straight("soma", -1, 1, 20, 20, 20, 1),
                         straight("dend[0]", 0, 1, 50, 2, 2, 3),
                         straight("dend[1]", 0, 1, 200, 2, 2, 7)}};
  const Template cell = discretise(tree, {});
  models::Locations anywhere;
  anywhere.kind = models::Locations::Kind::uniform;
  anywhere.region.name = "dend";
  const LocationsByLength places(cell, anywhere.region);
  for (std::uint64_t key = 0; key < 200; ++key) {
    RandomStream one(1, Purpose::location, {key, 0, 0}), other(1, Purpose::location, {key, 0, 0});
    EXPECT_EQ(resolve(cell, anywhere, one).front(), places.draw(other));
  }
  anywhere.region.name = "axon";
  EXPECT_TRUE(LocationsByLength(cell, anywhere.region).empty());
}

/// By length: a compartment of twice the length is drawn twice as often, on every branch.
// Statistical: 30000 draws; five standard errors of each share.
TEST(Locations, AreDrawnByLengthOverAllBranchesOfTheirRegion) {
  const Morphology tree{{straight("soma", -1, 1, 20, 20, 20, 1),
                         straight("dend[0]", 0, 1, 120, 2, 2, 3),
                         straight("axon", 0, 0, 60, 1, 1, 1)}};
  const Template cell = discretise(tree, with_axial(100));
  models::Region anywhere, near;
  near.distance_um = {0, 60};  // from the soma's middle: the first two of the dendrite's thirds
  RandomStream draws(5, Purpose::location, {});
  for (const auto& [region, lengths_um] :
       {std::pair{anywhere, std::vector<double>{20, 40, 40, 40, 60}},
        std::pair{near, std::vector<double>{20, 40, 0, 0, 60}}}) {
    const LocationsByLength by_length(cell, region);
    ASSERT_FALSE(by_length.empty());
    std::map<int, int> drawn;
    constexpr int count = 30000;
    for (int i = 0; i < count; ++i) ++drawn[by_length.draw(draws).value];
    std::vector<int> nodes;
    for (const DiscreteBranch& branch : cell.branches)
      for (int node = branch.first_node; node < branch.end_node; ++node) nodes.push_back(node);
    ASSERT_EQ(nodes.size(), lengths_um.size());
    const double all_um = std::accumulate(lengths_um.begin(), lengths_um.end(), 0.0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double share = lengths_um[i] / all_um;
      EXPECT_NEAR(drawn[nodes[i]] / double{count}, share, 5 * std::sqrt(share / count))
          << i << ' ' << cell.location(static_cast<std::size_t>(nodes[i])).distance_um;
    }
  }
}

}  // namespace
}  // namespace hillock::solver
