// NeuroGPU's methods on the GPU against Hines elimination in long double.

#include <gtest/gtest.h>

#include "solver/batches/stone/stone_device.hpp"
#include "tests/solver/batches/gpu/on_device.hpp"
#include "tests/solver/batches/stone_cases.hpp"

namespace hillock::solver {
namespace {

template <class T>
class StoneGpu : public OnDevice {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(StoneGpu, Precisions);

TYPED_TEST(StoneGpu, BothMethodsAgreeWithLongDoubleWithinRoundOffForAnyTeam) {
  std::uint64_t seed = 500;
  for (const auto& tree : all_trees()) {
    const auto device = stone_on_device<TypeParam>(
        Forest::uniform(tree.parent, tree.size.systems()), tree.size.traces);
    for (const double kappa : {0.1, 10.0, 1e3, 1e5}) {
      const auto c = make_case<TypeParam>(tree.parent, tree.size, kappa, ++seed);
      const auto reference = reference_solution(c.shape, c.values);
      device->upload(c.values);
      for (const auto back : {BackSubstitution::segment, BackSubstitution::branch}) {
        std::vector<TypeParam> first;
        for (const int team : {32, 128, 512}) {
          device->solve({back, team, team == 128 ? 3 : 1});
          const auto x = device->solution();
          EXPECT_LE(error_over_bound(c.shape, x, reference, kappa), 1)
              << tree.name << (back == BackSubstitution::segment ? " segment" : " branch")
              << ", team " << team << ", kappa " << kappa;
          if (first.empty()) first = x;
          EXPECT_EQ(first, x) << tree.name << ", team " << team;
        }
      }
    }
  }
}

// Small enough for compute-sanitizer.
TYPED_TEST(StoneGpu, ASmallTreeAgreesForEveryTeamAndMethod) {
  const auto parent = random_morphology(305, 30, 1);
  const auto c = make_case<TypeParam>(parent, {2, 3}, 10, 7);
  const auto reference = reference_solution(c.shape, c.values);
  const auto device = stone_on_device<TypeParam>(c.shape, 3);
  device->upload(c.values);
  for (const auto back : {BackSubstitution::segment, BackSubstitution::branch})
    for (const int team : {32, 64, 256}) {
      device->solve({back, team, 2});
      EXPECT_LE(error_over_bound(c.shape, device->solution(), reference, 10.0), 1);
    }
}

TYPED_TEST(StoneGpu, ATeamThatIsNoWholeWarpIsRefused) {
  const auto device = stone_on_device<TypeParam>(Forest::uniform(make_fork(30), 1));
  EXPECT_THROW(device->solve({BackSubstitution::segment, 33, 1}), UsageError);
  EXPECT_THROW(device->solve({BackSubstitution::segment, 2048, 1}), UsageError);
}

}  // namespace
}  // namespace hillock::solver
