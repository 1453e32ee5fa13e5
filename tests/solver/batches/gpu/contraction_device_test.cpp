// Contraction kernels against a long-double solve: every mapping, sizes about warps and blocks,
// couplings from weak to very strong. Label: gpu.

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/contraction/schedule.hpp"
#include "tests/solver/batches/gpu/device_check.hpp"

namespace hillock::solver {
namespace {

template <class Real>
void check(const std::vector<std::vector<int>>& trees, const std::vector<int>& tree_of,
           double ratio, const ContractionOptions& options, bool per_system = false) {
  const Batch<Real> values(trees, tree_of, ratio, per_system);
  const auto solver = contraction_on_device<Real>(
      Forest(trees, tree_of), per_system ? std::vector<std::vector<Real>>{} : values.tree_coupling,
      options);
  expect_solved_alike_twice(*solver, values, per_system, ratio);
}

using ContractionOnDevice = OnDevice;
const std::vector<double> ratios{0.1, 10, 1e3, 1e5};

TEST_F(ContractionOnDevice, AWarpSolvesSmallCells) {
  for (const int size : {1, 2, 31, 32, 33, 64, 100, 128})
    for (const double chain : {0.0, 0.9, 1.0})
      for (const double ratio : ratios)
        for (const int cells : {1, 5, 700}) {
          const std::vector<std::vector<int>> trees{attachment_tree(size, chain, 1)};
          if (make_contraction_schedule(trees[0]).task_count() > 128) continue;
          check<double>(trees, std::vector<int>(cells, 0), ratio,
                        {ContractionMapping::warp, 0, {}});
          check<float>(trees, std::vector<int>(cells, 0), ratio, {ContractionMapping::warp, 0, {}});
        }
}

TEST_F(ContractionOnDevice, ABlockSolvesCellsOfManySizes) {
  for (const int size : {1, 31, 32, 33, 127, 570, 1025})
    for (const double chain : {0.0, 0.9, 1.0})
      for (const double ratio : ratios)
        for (int k = 1; k <= 4; ++k) {
          const std::vector<std::vector<int>> trees{attachment_tree(size, chain, 2)};
          if (make_contraction_schedule(trees[0]).task_count() > 1024 * k) continue;
          check<double>(trees, std::vector<int>(3, 0), ratio, {ContractionMapping::block, k, {}});
          check<float>(trees, std::vector<int>(3, 0), ratio, {ContractionMapping::block, k, {}});
        }
}

TEST_F(ContractionOnDevice, ABlockSolvesManyCells) {
  const std::vector<std::vector<int>> trees{tree_of_depth(570, 119, 10, 1)};
  for (int k = 1; k <= 4; ++k)
    check<double>(trees, std::vector<int>(1500, 0), 10, {ContractionMapping::block, k, {}});
}

TEST_F(ContractionOnDevice, DeviceMemoryHoldsCellsOfAnySize) {
  for (const double ratio : ratios)
    for (const auto& tree :
         {cable_tree(1), cable_tree(33), attachment_tree(570, 0.9, 1),
          attachment_tree(20000, 0.95, 3), star_tree(500, 10), cable_tree(5000)}) {
      check<double>({tree}, {0, 0, 0}, ratio, {ContractionMapping::global, 0, {}});
      check<float>({tree}, {0, 0, 0}, ratio, {ContractionMapping::global, 0, {}});
    }
}

TEST_F(ContractionOnDevice, AutomaticSolvesEverySize) {
  for (const double ratio : ratios)
    for (const auto& tree : {cable_tree(1), cable_tree(100), attachment_tree(2000, 0.9, 1),
                             attachment_tree(3500, 0.9, 1), attachment_tree(20000, 0.95, 3),
                             star_tree(500, 10), star_tree(400, 5), cable_tree(5000)}) {
      check<double>({tree}, {0, 0}, ratio, {});
      check<float>({tree}, {0, 0}, ratio, {});
    }
}

TEST_F(ContractionOnDevice, ABatchHoldsSeveralTemplatesInAnyOrder) {
  const std::vector<std::vector<int>> trees{attachment_tree(570, 0.9, 1),
                                            cable_tree(20),
                                            attachment_tree(90, 0.7, 2),
                                            star_tree(300, 4),
                                            cable_tree(1),
                                            attachment_tree(570, 0.8, 5),
                                            cable_tree(6000)};
  std::vector<int> tree_of;
  for (int c = 0; c < 200; ++c) tree_of.push_back((c * 5 + c / 3) % 7);
  check<double>(trees, tree_of, 10, {});
  check<float>(trees, tree_of, 10, {});
}

TEST_F(ContractionOnDevice, CouplingsMayDifferPerSystem) {
  for (const auto mapping : {ContractionMapping::block, ContractionMapping::global}) {
    check<double>({attachment_tree(570, 0.9, 1)}, std::vector<int>(40, 0), 10, {mapping, 0, {}},
                  true);
    check<float>({attachment_tree(570, 0.9, 1)}, std::vector<int>(40, 0), 10, {mapping, 0, {}},
                 true);
  }
  check<double>({attachment_tree(60, 0.9, 1)}, std::vector<int>(40, 0), 10,
                {ContractionMapping::warp, 0, {}}, true);
}

TEST_F(ContractionOnDevice, RepeatsFeedTheSolutionBack) {
  constexpr int repeats = 7;
  const std::vector<std::vector<int>> trees{tree_of_depth(570, 35, 6, 1)};
  const std::vector<int> tree_of(300, 0);
  const Batch<double> values(trees, tree_of, 10, false, repeats, Excess::one);
  for (const auto& options : {ContractionOptions{ContractionMapping::block, 1, {}},
                              ContractionOptions{ContractionMapping::block, 2, {}},
                              ContractionOptions{ContractionMapping::block, 4, {}},
                              ContractionOptions{ContractionMapping::global, 0, {}}}) {
    const auto solver = contraction_on_device<double>(Forest::uniform(trees[0], tree_of.size()),
                                                      values.tree_coupling, options);
    std::vector<double> x = values.rhs;
    solver->solve_from_host(values.diagonal, x, {}, repeats);
    values.expect_solved(x, 10, repeats);
  }
}

// compute-sanitizer --tool racecheck is run on this test: it cannot follow barriers of a part of a
// block, and with these every other access is the same.
TEST_F(ContractionOnDevice, BarriersOfAllWarpsGiveTheSameBits) {
  for (const auto& tree : {tree_of_depth(570, 35, 6, 1), star_tree(100, 5), cable_tree(700)})
    for (int k = 1; k <= 4; ++k) {
      const std::vector<int> tree_of(10, 0);
      const Batch<double> values({tree}, tree_of, 10, false, 3, Excess::one);
      std::vector<std::vector<double>> solutions;
      for (const auto barriers : {ContractionBarriers::all, ContractionBarriers::needed}) {
        if (barriers == ContractionBarriers::needed && std::getenv("ONLY_FULL_BARRIERS")) continue;
        const auto solver = contraction_on_device<double>(Forest::uniform(tree, tree_of.size()),
                                                          values.tree_coupling,
                                                          {ContractionMapping::block, k, barriers});
        solutions.push_back(values.rhs);
        solver->solve_from_host(values.diagonal, solutions.back(), {}, 3);
        values.expect_solved(solutions.back(), 10, 3);
      }
      EXPECT_EQ(solutions.front(), solutions.back());
    }
}

TEST_F(ContractionOnDevice, ManySolvesWithTheNeededBarriersGiveTheSameBitsAsWithAll) {
  for (const auto& tree : {tree_of_depth(570, 119, 10, 1), attachment_tree(600, 0.5, 3),
                           star_tree(100, 5), cable_tree(700)})
    for (const std::size_t cells : {100, 1000, 10000})  // with their own kernels each
      for (const int repeats : {1, 100}) {
        const std::vector<std::vector<int>> one{tree};
        const Batch<double> drawn(one, {0, 0, 0, 0}, 10, false, 1, Excess::one);
        std::vector<double> diagonal, rhs;
        for (std::size_t c = 0; c < cells; c += 4) {
          diagonal.insert(diagonal.end(), drawn.diagonal.begin(), drawn.diagonal.end());
          rhs.insert(rhs.end(), drawn.rhs.begin(), drawn.rhs.end());
        }
        std::vector<std::vector<double>> solutions;
        for (const auto barriers : {ContractionBarriers::all, ContractionBarriers::needed}) {
          const auto solver =
              contraction_on_device<double>(Forest::uniform(tree, cells), drawn.tree_coupling,
                                            {ContractionMapping::block, 0, barriers});
          solutions.push_back(rhs);
          solver->solve_from_host(diagonal, solutions.back(), {}, repeats);
        }
        EXPECT_EQ(solutions.front(), solutions.back());
      }
}

TEST_F(ContractionOnDevice, AWarpRefusesACellThatIsTooLarge) {
  EXPECT_THROW(contraction_on_device<double>(Forest::uniform(cable_tree(129), 1),
                                             {std::vector<double>(129, 1)},
                                             {ContractionMapping::warp, 0, {}}),
               UsageError);
}

}  // namespace
}  // namespace hillock::solver
