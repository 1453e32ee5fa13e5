// Branch kernels against a long-double solve: every variant of the plan, in shared and in device
// memory, sizes about warps and blocks. Label: gpu.

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "solver/batches/branch/branch_device.hpp"
#include "tests/solver/batches/gpu/device_check.hpp"

namespace hillock::solver {
namespace {

template <class Real>
void check(const std::vector<std::vector<int>>& trees, const std::vector<int>& tree_of,
           double ratio, const BranchOptions& options, BranchMemory memory,
           bool per_system = false) {
  const BranchPlan plan = make_branch_plan(Forest(trees, tree_of), options);
  const Batch<Real> values(trees, tree_of, ratio, per_system);
  const auto solver = branch_on_device<Real>(
      plan, per_system ? std::vector<std::vector<Real>>{} : values.tree_coupling, memory);
  expect_solved_alike_twice(*solver, values, per_system, ratio);
}

using BranchOnDevice = OnDevice;

TEST_F(BranchOnDevice, EveryVariantSolvesMixedCells) {
  for (const int size : {1, 31, 32, 33, 570})
    for (const auto root : {BranchRoot::given, BranchRoot::centre})
      for (const auto cutting :
           {BranchCutting::none, BranchCutting::level_mean, BranchCutting::local})
        for (const bool sink : {false, true})
          for (const int threads : {32, 128}) {
            BranchOptions options;
            options.root = root;
            options.cutting = cutting;
            options.sink_subtrees = sink;
            options.threads = threads;
            options.most_values = 4000;
            const std::vector<std::vector<int>> trees{
                attachment_tree(size, 0.9, 1), attachment_tree(size, 0.6, 2), cable_tree(size)};
            const std::vector<int> tree_of{0, 1, 2, 2, 1, 0, 0, 1, 1, 0};
            for (const auto memory : {BranchMemory::shared, BranchMemory::global}) {
              check<double>(trees, tree_of, 10, options, memory);
              check<float>(trees, tree_of, 10, options, memory);
            }
          }
}

TEST_F(BranchOnDevice, StrongCouplingsKeepTheBound) {
  for (const double ratio : {0.1, 1e3, 1e5})
    for (const int size : {33, 570}) {
      check<double>({attachment_tree(size, 0.9, 1)}, {0, 0}, ratio, {}, BranchMemory::automatic);
      check<float>({attachment_tree(size, 0.9, 1)}, {0, 0}, ratio, {}, BranchMemory::automatic);
    }
}

TEST_F(BranchOnDevice, WideLevelsDeepCablesAndGiantCellsWork) {
  BranchOptions options;
  for (const double ratio : {0.1, 10.0, 1e3, 1e5})
    for (const auto& tree : {attachment_tree(20000, 0.95, 3), star_tree(500, 10), cable_tree(5000)})
      for (const auto root : {BranchRoot::given, BranchRoot::centre}) {
        options.root = root;
        options.cutting = BranchCutting::local;
        check<double>({tree}, {0, 0}, ratio, options, BranchMemory::automatic);
        check<float>({tree}, {0, 0}, ratio, options, BranchMemory::automatic);
      }
}

TEST_F(BranchOnDevice, CouplingsMayDifferPerSystem) {
  BranchOptions options;
  options.root = BranchRoot::centre;
  options.most_values = 2000;
  for (const auto memory : {BranchMemory::shared, BranchMemory::global})
    check<double>({attachment_tree(570, 0.9, 1)}, std::vector<int>(40, 0), 10, options, memory,
                  true);
}

TEST_F(BranchOnDevice, RepeatsFeedTheSolutionBack) {
  constexpr int repeats = 7;
  const std::vector<std::vector<int>> trees{tree_of_depth(570, 119, 6, 1)};
  const std::vector<int> tree_of(50, 0);
  const Batch<double> values(trees, tree_of, 10, false, repeats, Excess::one);
  BranchOptions options;
  options.cutting = BranchCutting::local;
  options.most_values = 2000;
  for (const auto memory : {BranchMemory::shared, BranchMemory::global}) {
    const auto solver = branch_on_device<double>(make_branch_plan(Forest(trees, tree_of), options),
                                                 values.tree_coupling, memory);
    std::vector<double> x = values.rhs;
    solver->solve_from_host(values.diagonal, x, {}, repeats);
    values.expect_solved(x, 10, repeats);
  }
}

// compute-sanitizer --tool racecheck is run on this test: it cannot follow barriers of a part of a
// block, and with these every other access is the same.
TEST_F(BranchOnDevice, BarriersOfAllWarpsGiveTheSameBits) {
  for (const auto& tree : {tree_of_depth(570, 35, 6, 1), star_tree(100, 5), cable_tree(300)})
    for (const auto memory : {BranchMemory::shared, BranchMemory::global}) {
      const std::vector<int> tree_of(10, 0);
      const Batch<double> values({tree}, tree_of, 10, false, 3, Excess::one);
      std::vector<std::vector<double>> solutions;
      for (const auto barriers : {BranchBarriers::all, BranchBarriers::needed}) {
        if (barriers == BranchBarriers::needed && std::getenv("ONLY_FULL_BARRIERS")) continue;
        BranchOptions options;
        options.barriers = barriers;
        options.cutting = BranchCutting::local;
        options.most_values = 2000;
        const auto solver = branch_on_device<double>(
            make_branch_plan(Forest({tree}, tree_of), options), values.tree_coupling, memory);
        solutions.push_back(values.rhs);
        solver->solve_from_host(values.diagonal, solutions.back(), {}, 3);
        values.expect_solved(solutions.back(), 10, 3);
      }
      EXPECT_EQ(solutions.front(), solutions.back());
    }
}

TEST_F(BranchOnDevice, ManyBlocksWithManyLevelsShareThreads) {
  std::vector<std::vector<int>> trees;
  std::vector<int> tree_of;
  for (int t = 0; t < 40; ++t) trees.push_back(attachment_tree(150 + 10 * t, 0.7, t));
  for (int c = 0; c < 3000; ++c) tree_of.push_back(c * 7 % 40);
  for (const auto memory : {BranchMemory::shared, BranchMemory::global}) {
    BranchOptions options;
    options.most_values = 3000;
    check<double>(trees, tree_of, 10, options, memory);
  }
}

}  // namespace
}  // namespace hillock::solver
