// Hines batches on the GPU, every arrangement, against Hines elimination in long double.

#include <gtest/gtest.h>

#include "../hines_batch_cases.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "tests/solver/batches/gpu/on_device.hpp"

namespace hillock::solver {
namespace {

template <class T>
class HinesBatchGpu : public OnDevice {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(HinesBatchGpu, Precisions);

TYPED_TEST(HinesBatchGpu, EveryArrangementAgreesWithLongDoubleWithinRoundOff) {
  std::uint64_t seed = 400;
  for (const auto& [name, shape] : all_shapes())
    for (const double kappa : {0.1, 10.0, 1e3, 1e5}) {
      const auto values = random_values<TypeParam>(shape, kappa, ++seed);
      const auto reference = reference_solution(shape, values);
      for (const auto& arrangement : all_arrangements()) {
        const auto batch = hines_on_device<TypeParam>(shape, {arrangement});
        batch->upload(values);
        batch->solve();
        EXPECT_LE(error_over_bound(shape, batch->solution(), reference, kappa), 1)
            << name << ", " << arrangement.name() << ", kappa " << kappa;
      }
    }
}

TYPED_TEST(HinesBatchGpu, RunsRepeatThemselvesToTheBit) {
  for (const auto& [name, shape] : all_shapes()) {
    const auto values = random_values<TypeParam>(shape, 10, 3);
    for (const auto& arrangement : all_arrangements()) {
      const auto batch = hines_on_device<TypeParam>(shape, {arrangement});
      std::vector<TypeParam> first;
      for (int run = 0; run < 3; ++run) {
        batch->upload(values);
        batch->solve();
        const auto x = batch->solution();
        if (run == 0) first = x;
        EXPECT_EQ(first, x) << name << ", " << arrangement.name();
      }
    }
  }
}

TYPED_TEST(HinesBatchGpu, TheStreamsTuningDoesNotChangeTheBits) {
  for (const auto& [name, shape] : all_shapes()) {
    const auto values = random_values<TypeParam>(shape, 10, 4);
    std::vector<TypeParam> first;
    for (const int stages : {2, 3, 4})
      for (const int kept : {0, 1, 3, 100}) {
        const auto batch =
            hines_on_device<TypeParam>(shape, {HinesArrangement::streamed(), 0, 1, {stages, kept}});
        batch->upload(values);
        batch->solve();
        const auto x = batch->solution();
        if (first.empty()) first = x;
        EXPECT_EQ(first, x) << name << ", " << stages << " stages, " << kept << " kept";
      }
  }
}

TYPED_TEST(HinesBatchGpu, SetsOfValuesAreSolvedApart) {
  const Forest shape = Forest::uniform(random_morphology(305, 30, 2), 65);
  const auto batch = hines_on_device<TypeParam>(shape, {HinesArrangement::streamed(), 0, 3});
  for (int set = 0; set < 3; ++set) {
    batch->upload(random_values<TypeParam>(shape, 10, static_cast<std::uint64_t>(set)), set);
    batch->solve(set);
  }
  for (int set = 0; set < 3; ++set) {
    const auto values = random_values<TypeParam>(shape, 10, static_cast<std::uint64_t>(set));
    EXPECT_LE(
        error_over_bound(shape, batch->solution(set), reference_solution(shape, values), 10.0), 1);
  }
}

TYPED_TEST(HinesBatchGpu, ASplitBatchGivesTheSameBitsAsAWholeOne) {
  const auto cases = all_shapes();
  const Forest& shape = cases.back().shape;
  const auto values = random_values<TypeParam>(shape, 10, 5);
  const auto whole = hines_on_device<TypeParam>(shape);
  whole->upload(values);
  whole->solve();
  SplitBatch<TypeParam> split(shape, HinesArrangement::streamed(), {0, device_count() - 1});
  split.upload(values);
  split.solve();
  EXPECT_EQ(whole->solution(), split.solution());
}

}  // namespace
}  // namespace hillock::solver
