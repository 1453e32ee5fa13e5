#include "core/random/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "core/random/philox.hpp"

namespace hillock {
namespace {

// Exact: Random123's known-answer file, philox4x64 10 rounds, counter and key all zero.
TEST(RandomStream, FirstBlockIsPhilox4x64KnownAnswer) {
  RandomStream stream(0, static_cast<Purpose>(0), {});
  for (const std::uint64_t word :
       {0x16554d9eca36314cULL, 0xdb20fe9d672d0fdcULL, 0xd7e772cee186176bULL, 0x7e68b68aec7ba23bULL})
    EXPECT_EQ(stream.uniform(), (static_cast<double>(word >> 12) + 0.5) * 0x1p-52);
}

TEST(RandomStream, EqualKeysGiveEqualDraws) {
  RandomStream a(42, Purpose::weight, {1, 2, 3});
  RandomStream b(42, Purpose::weight, {1, 2, 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.uniform(), b.uniform());
}

TEST(RandomStream, EveryPartOfTheKeyMatters) {
  std::set<double> first;
  first.insert(RandomStream(1, Purpose::weight, {1, 2, 3}).uniform());
  first.insert(RandomStream(2, Purpose::weight, {1, 2, 3}).uniform());
  first.insert(RandomStream(1, Purpose::delay, {1, 2, 3}).uniform());
  first.insert(RandomStream(1, Purpose::weight, {2, 2, 3}).uniform());
  first.insert(RandomStream(1, Purpose::weight, {1, 3, 3}).uniform());
  first.insert(RandomStream(1, Purpose::weight, {1, 2, 4}).uniform());
  EXPECT_EQ(first.size(), 6U);
}

/// Box and Muller 1958: of two uniform draws the cosine, then the sine.
TEST(RandomStream, NormalDrawsAreThePairsOfTheUniformOnes) {
  RandomStream uniform(11, Purpose::weight, {4, 5, 6}), normal(11, Purpose::weight, {4, 5, 6});
  for (int pair = 0; pair < 100; ++pair) {
    const double radius = std::sqrt(-2 * std::log(uniform.uniform()));
    const double angle = 2 * std::numbers::pi * uniform.uniform();
    EXPECT_NEAR(normal.normal(), radius * std::cos(angle), 1e-14) << pair;
    EXPECT_NEAR(normal.normal(), radius * std::sin(angle), 1e-14) << pair;
  }
  EXPECT_EQ(normal.drawn(), 200u);
}

TEST(RandomStream, SkippedToItGoesOnAsANewStreamDoes) {
  RandomStream whole(11, Purpose::weight, {4, 5, 6}), part(11, Purpose::weight, {4, 5, 6});
  std::vector<double> draws(13);
  for (double& draw : draws) draw = whole.uniform();
  for (const std::size_t to : {6u, 0u, 9u, 4u, 7u}) {
    part.skip_to(to);
    EXPECT_EQ(part.drawn(), to);
    for (std::size_t i = to; i < draws.size(); ++i) EXPECT_EQ(part.uniform(), draws[i]) << to;
    part.normal();  // whose other half is forgotten
  }
  part.skip_to(0);
  EXPECT_NEAR(part.normal(),
              std::sqrt(-2 * std::log(draws[0])) * std::cos(2 * std::numbers::pi * draws[1]),
              1e-14);
}

// Statistical: n = 1e6, fixed seed; five standard errors of each moment.
TEST(RandomStream, MomentsAreThoseOfTheDistributions) {
  constexpr int n = 1'000'000;
  RandomStream stream(7, Purpose::parameter, {});
  double uniform = 0, uniform2 = 0, normal = 0, normal2 = 0, exponential = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    uniform += u;
    uniform2 += u * u;
  }
  for (int i = 0; i < n; ++i) {
    const double x = stream.normal();
    normal += x;
    normal2 += x * x;
  }
  for (int i = 0; i < n; ++i) exponential += stream.exponential();
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(uniform / n, 0.5, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(uniform2 / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45) / root);
  EXPECT_NEAR(normal / n, 0, 5 / root);
  EXPECT_NEAR(normal2 / n, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(exponential / n, 1, 5 / root);
}

// Statistical: 60000 draws over 6 values; chi-square with 5 degrees of freedom, p = 1e-6.
TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream stream(3, Purpose::connect, {});
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) {
    const auto value = stream.below(6);
    ASSERT_LT(value, 6U);
    ++counts[value];
  }
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi2, 35.9);
  EXPECT_EQ(stream.below(1), 0U);
}

/// The remainders of all words would favour the smaller numbers: of three quarters of all words the
/// first third would come twice as often.
TEST(RandomStream, BelowTakesNoWordOfTheMultipleThatIsNotWhole) {
  constexpr std::uint64_t n = std::uint64_t{3} << 62, seed = 5;
  RandomStream stream(seed, Purpose::connect, {1, 2, 3});
  std::size_t refused = 0;
  for (std::uint64_t block = 0; block < 1000; ++block) {
    const auto words = philox<unsigned long long>(
        {{1, 2, 3, block}}, seed, static_cast<unsigned long long>(Purpose::connect));
    for (const unsigned long long word : words.word)
      if (word >= n) {
        ++refused;
      } else {
        EXPECT_EQ(stream.below(n), word);
      }
  }
  EXPECT_NEAR(static_cast<double>(refused), 1000, 5 * std::sqrt(750.0));
}

}  // namespace
}  // namespace hillock
