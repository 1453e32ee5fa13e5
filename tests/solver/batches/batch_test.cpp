// What every family says of a batch that is none: one exception for one mistake.

#include "solver/batch.hpp"

#include <gtest/gtest.h>

#include "solver/batches/hines_batch/schedule.hpp"
#include "solver/choice/tree_features.hpp"
#include "solver/contraction/schedule.hpp"
#include "solver/random_trees.hpp"
#include "solver/schedules/branch_plan.hpp"
#include "solver/schedules/stone_schedule.hpp"

namespace hillock::solver {
namespace {

template <class Make>
void expect_refused_with_its_place(const Make& make, const char* who) {
  for (const auto& [tree, node] : {std::pair{std::vector<int>{}, 0u},
                                   {std::vector<int>{0}, 0u},
                                   {std::vector<int>{-1, 0, 3, 2}, 2u},
                                   {std::vector<int>{-1, 0, -1}, 2u}})
    try {
      make(tree);
      ADD_FAILURE() << who << " took a tree that is none";
    } catch (const InvalidTree& error) {
      EXPECT_EQ(error.node(), node) << who;
    }
}

TEST(Batch, EveryFamilyRefusesWhatIsNoTreeByTheSameException) {
  expect_refused_with_its_place([](const auto& tree) { Forest::uniform(tree, 1); }, "Forest");
  expect_refused_with_its_place([](const auto& tree) { make_contraction_schedule(tree); },
                                "contraction");
  expect_refused_with_its_place([](const auto& tree) { make_stone_schedule(tree); }, "stone");
  expect_refused_with_its_place([](const auto& tree) { features_of(tree); }, "choice");
}

TEST(Batch, SaysHowManyValuesItWasGiven) {
  const Forest forest = Forest::uniform(cable_tree(5), 4);
  BatchValues<double> values{std::vector<double>(20), std::vector<double>(20),
                             std::vector<double>(20)};
  EXPECT_NO_THROW(check_values(forest, values));
  values.rhs.pop_back();
  try {
    check_values(forest, values);
    FAIL() << "accepted";
  } catch (const InvalidBatch& error) {
    EXPECT_EQ(error.systems(), 4u);
    EXPECT_EQ(error.compartments(), 20u);
    EXPECT_STREQ(error.what(),
                 "batch of 4 systems, 20 compartments in all: it was given 19 right-hand sides");
  }
}

TEST(Forest, APartHasTheTreesOfItsSystems) {
  const Forest forest({{-1}, {-1, 0}, {-1, 0, 1, 1}}, {0, 2, 1, 1, 0, 2});
  const Forest part = forest.part(1, 5);
  ASSERT_EQ(part.n_systems(), 4u);
  EXPECT_EQ(part.n_trees(), 3u);
  std::size_t all = 0;
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(part.tree_of(s), forest.tree_of(s + 1));
    EXPECT_EQ(part.size(s), forest.size(s + 1));
    EXPECT_EQ(part.first()[s], all);
    all += static_cast<std::size_t>(part.size(s));
  }
  EXPECT_EQ(part.total(), all);
  EXPECT_EQ(forest.part(2, 2).n_systems(), 0u);
  EXPECT_EQ(forest.part(0, 6).total(), forest.total());
  EXPECT_THROW(forest.part(3, 2), InvalidBatch);
  EXPECT_THROW(forest.part(0, 7), InvalidBatch);
}

TEST(Batch, OptionsOutOfRangeAreAMistakeOfTheirOwn) {
  const Forest forest = Forest::uniform(cable_tree(5), 4);
  BranchOptions options;
  options.threads = 0;
  EXPECT_THROW(make_branch_plan(forest, options), UsageError);
  EXPECT_THROW(make_hines_schedule(forest, {.width = -1}), UsageError);
}

}  // namespace
}  // namespace hillock::solver
