// Contraction schedules: rounds, independence of a step's tasks, and solutions by the host
// executor.

#include "solver/contraction/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "solver/batch.hpp"
#include "solver/batches/contraction/host.hpp"
#include "solver/random_trees.hpp"
#include "tests/solver/tree_reference.hpp"

namespace hillock::solver {
namespace {

/// The system with values that a Real holds exactly, so that only the solver rounds.
template <class Real>
TreeSystem rounded(TreeSystem s) {
  for (auto* values : {&s.coupling, &s.diagonal, &s.rhs})
    for (double& v : *values) v = static_cast<Real>(v);
  return s;
}

template <class Real>
std::vector<Real> solution(const TreeSystem& s) {
  const auto schedule = make_contraction_schedule(s.parent);
  const std::vector<Real> coupling(s.coupling.begin(), s.coupling.end()),
      diagonal(s.diagonal.begin(), s.diagonal.end());
  std::vector<Real> x(s.rhs.begin(), s.rhs.end());
  contraction_solve<Real>(schedule, coupling, diagonal, x);
  return x;
}

template <class Real>
void expect_within_round_off(const TreeSystem& drawn, double ratio) {
  const TreeSystem s = rounded<Real>(drawn);
  const auto x = solution<Real>(s);
  const auto ref = in_long_double(s);
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::fabs(ref[i]));
    error = std::max(error, std::fabs(ref[i] - static_cast<long double>(x[i])));
  }
  // Round-off: 8·eps·(1 + kappa), kappa the ratio of coupling to the rest of the diagonal.
  EXPECT_LE(error, 8 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) *
                       (1 + ratio) * largest);
}

class ContractionAgainstReference : public testing::TestWithParam<std::tuple<int, double, double>> {
};

TEST_P(ContractionAgainstReference, AgreesWithinRoundOffInDoubleAndFloat) {
  const auto [size, chain, ratio] = GetParam();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto s = random_system(attachment_tree(size, chain, seed), ratio, seed);
    expect_within_round_off<double>(s, ratio);
    expect_within_round_off<float>(s, ratio);
  }
}

INSTANTIATE_TEST_SUITE_P(SizesShapesRatios, ContractionAgainstReference,
                         testing::Combine(testing::Values(1, 2, 31, 32, 33, 570),
                                          testing::Values(0.0, 0.9, 1.0),
                                          testing::Values(0.1, 10.0, 1e3, 1e5)));

class ContractionOfLargeTrees : public testing::TestWithParam<double> {};

TEST_P(ContractionOfLargeTrees, AgreesWithinRoundOff) {
  for (const auto& tree : {attachment_tree(20000, 0.95, 3), star_tree(500, 10), cable_tree(5000)}) {
    const auto s = random_system(tree, GetParam(), 5);
    expect_within_round_off<double>(s, GetParam());
    expect_within_round_off<float>(s, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Ratios, ContractionOfLargeTrees, testing::Values(0.1, 10.0, 1e3, 1e5));

TEST(Contraction, RepeatsItselfBitForBit) {
  const auto s = random_system(attachment_tree(3000, 0.9, 11), 100, 11);
  EXPECT_EQ(solution<double>(s), solution<double>(s));
}

TEST(ContractionSchedule, AStarOf500BranchesTakes5Rounds) {
  EXPECT_EQ(make_contraction_schedule(star_tree(500, 10)).rounds, 5);
}

TEST(ContractionSchedule, ACableOf5000Takes13Rounds) {
  const auto s = make_contraction_schedule(cable_tree(5000));
  EXPECT_EQ(s.rounds, 13);
  EXPECT_EQ(s.steps(), 13);
}

TEST(ContractionSchedule, ASingleNodeIsOneTaskThatGivesNothing) {
  const auto s = make_contraction_schedule(cable_tree(1));
  EXPECT_EQ(s.task_count(), 1);
  EXPECT_EQ(s.steps(), 1);
  EXPECT_EQ(s.entry_count, 0);
  EXPECT_EQ(s.give_a[0], -1);
}

TEST(ContractionSchedule, EveryEntryAndEdgeHasOneProducerInAnEarlierStep) {
  for (const auto& tree : {attachment_tree(777, 0.8, 1), star_tree(300, 7), cable_tree(100),
                           attachment_tree(50, 0, 2)}) {
    const auto s = make_contraction_schedule(tree);
    const auto size = [](const auto& v) { return static_cast<int>(v.size()); };
    ASSERT_EQ(size(s.arrival), s.entry_count);
    ASSERT_EQ(s.inbox_start.back(), s.entry_count);
    std::vector<int> step(s.node.size()), reader(s.arrival.size(), -1);
    for (int k = 0; k < s.steps(); ++k)
      for (int t = s.step_start[k]; t < s.step_start[k + 1]; ++t) step[t] = k;
    for (int t = 0; t < s.task_count(); ++t)
      for (int e = s.inbox_start[t]; e < s.inbox_start[t + 1]; ++e) reader[e] = t;
    std::set<int> entries, edges, nodes;
    for (int t = 0; t < s.task_count(); ++t) {
      for (const int e : {s.give_a[t], s.give_b[t]}) {
        if (e < 0) continue;
        EXPECT_TRUE(entries.insert(e).second);
        EXPECT_EQ(s.arrival[e], step[t] + 1);
        EXPECT_LE(s.arrival[e], step[reader[e]]);
      }
      if (s.give_edge[t] >= 0) {
        EXPECT_TRUE(edges.insert(s.give_edge[t]).second);
        EXPECT_EQ(s.coupling_of[s.give_edge[t]], -1);
        EXPECT_LT(step[t], step[s.give_edge[t] / 2]);
      }
      if (s.node[t] >= 0) {
        EXPECT_TRUE(nodes.insert(s.node[t]).second);
      }
      int in_step = 0, last = -1;
      for (int e = s.inbox_start[t]; e < s.inbox_start[t + 1]; ++e) {
        in_step = s.arrival[e] == last ? in_step + 1 : 1;
        EXPECT_GE(s.arrival[e], last);
        EXPECT_LE(in_step, fold_limit);
        last = s.arrival[e];
      }
    }
    EXPECT_EQ(size(nodes), s.node_count);
    EXPECT_EQ(size(entries), s.entry_count);
  }
}

TEST(ContractionSchedule, NamesTheNodeThatPrecedesItsParent) {
  try {
    make_contraction_schedule(std::vector<int>{-1, 0, 3, 2});
    FAIL() << "a tree out of order was accepted";
  } catch (const InvalidTree& error) {
    EXPECT_EQ(error.node(), 2u);
    EXPECT_STREQ(error.what(),
                 "tree 0, node 2: its parent is 3 (a parent must precede its children)");
  }
}

}  // namespace
}  // namespace hillock::solver
