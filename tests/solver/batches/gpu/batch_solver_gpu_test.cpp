// Every family behind the one door, on the GPU, against Hines elimination in long double.

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "solver/batches/batch_solver.hpp"
#include "tests/solver/batches/gpu/on_device.hpp"
#include "tests/solver/batches/hines_batch_cases.hpp"

namespace hillock::solver {
namespace {

template <class T>
class BatchSolverGpu : public OnDevice {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchSolverGpu, Precisions);

TYPED_TEST(BatchSolverGpu, EveryFamilyAndAutoAgreeWithLongDoubleWithinRoundOff) {
  int solved[std::size(all_families)] = {};
  for (const auto& [name, shape] : all_shapes())
    for (const double kappa : {0.1, 10.0, 1e3, 1e5}) {
      const auto values = random_values<TypeParam>(shape, kappa, 7);
      const auto reference = reference_solution(shape, values);
      const BatchSolver by_itself(shape);
      EXPECT_TRUE(by_itself.on_gpu());
      EXPECT_LE(error_over_bound(shape, by_itself.solve(values), reference, kappa), 1)
          << name << ", auto: " << by_itself.choice().reason;
      for (const Family family : all_families) {
        const auto& absent = by_itself.choice().estimates[static_cast<std::size_t>(family)].absent;
        const BatchSolverOptions options{.where = BatchSolverOptions::Where::gpu, .family = family};
        if (!absent.empty()) {
          EXPECT_THROW(BatchSolver(shape, options), UsageError);
          continue;
        }
        ++solved[static_cast<std::size_t>(family)];
        const BatchSolver solver(shape, options);
        EXPECT_LE(error_over_bound(shape, solver.solve(values), reference, kappa), 1)
            << name << ", " << name_of(family) << ", kappa " << kappa;
      }
    }
  for (const Family family : all_families)
    EXPECT_GT(solved[static_cast<std::size_t>(family)], 0) << name_of(family);
}

}  // namespace
}  // namespace hillock::solver
