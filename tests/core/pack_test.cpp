// Operations of packs that are not those of doubles, lane by lane: they are what a plain number
// gives, whatever a register holds.

#include "core/simd/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>

namespace hillock {
namespace {

constexpr long long most = std::numeric_limits<long long>::max();
constexpr long long numbers[] = {0,
                                 1,
                                 -1,
                                 0xffffffffll,
                                 -0x100000000ll,
                                 (1ll << 53) + 1,
                                 -(1ll << 53) - 1,
                                 (1ll << 53) + 3,
                                 0x123456789abcdef0ll,
                                 -0x123456789abcdef1ll,
                                 most,
                                 most - 511,
                                 most - 512,
                                 -most,
                                 -most - 1,
                                 0x7fffffff80000000ll};

template <class Body>
void each_pack(const Body& body) {
  for (std::size_t first = 0; first + 8 <= std::size(numbers); ++first) {
    Lanes<long long, 8> pack{};
    for (int l = 0; l < 8; ++l) pack[l] = numbers[first + static_cast<std::size_t>(l)];
    body(pack);
  }
}

TEST(Packs, OfWholeNumbersAreRoundedToDoublesAsOneIs) {
  each_pack([](const Lanes<long long, 8>& pack) {
    const Pack8 doubles = to_doubles(pack);
    for (int l = 0; l < 8; ++l) EXPECT_EQ(doubles[l], static_cast<double>(pack[l])) << pack[l];
  });
}

TEST(Packs, MultiplyAndShiftHalvesAsWordsOf32Bits) {
  each_pack([](const Lanes<long long, 8>& pack) {
    const Lanes<long long, 8> factor = Lanes<long long, 8>{} + 0x7ed2511f53ll;
    const Lanes<long long, 8> product = product_of_halves(pack, factor);
    const Lanes<long long, 8> upper = upper_halves(pack);
    for (int l = 0; l < 8; ++l) {
      const auto word = static_cast<std::uint64_t>(pack[l]);
      EXPECT_EQ(static_cast<std::uint64_t>(product[l]), (word & 0xffffffff) * 0xd2511f53u);
      EXPECT_EQ(static_cast<std::uint64_t>(upper[l]), word >> 32);
    }
  });
}

/// Of each number of floats that loops over mechanisms have: one register, less, and two.
template <int n>
void expect_floats() {
  using F = Lanes<float, n>;
  double from[n], back[n];
  F a{}, b{};
  for (int l = 0; l < n; ++l) {
    from[l] = 0.1 * l - 0.7 + 1e-12;
    a[l] = static_cast<float>(from[l]);
    b[l] = 0.3f * static_cast<float>(l % 5) - 0.5f;
  }
  const F loaded = load<F>(from);
  store(back, loaded);
  const F sum = fma(a, b, loaded), least = lesser(a, b), most_of = greater(a, b);
  const F chosen = select(a < b, a * b, a / 3.0f), roots = square_root(a * a);
  const auto words = to_bits(a) << 1;
  for (int l = 0; l < n; ++l) {
    EXPECT_EQ(loaded[l], static_cast<float>(from[l]));
    EXPECT_EQ(back[l], static_cast<double>(static_cast<float>(from[l])));
    EXPECT_EQ(sum[l], std::fma(a[l], b[l], loaded[l]));
    EXPECT_EQ(least[l], std::min(a[l], b[l]));
    EXPECT_EQ(most_of[l], std::max(a[l], b[l]));
    EXPECT_EQ(chosen[l], a[l] < b[l] ? a[l] * b[l] : a[l] / 3.0f);
    EXPECT_EQ(roots[l], std::sqrt(a[l] * a[l]));
    EXPECT_EQ(static_cast<std::uint32_t>(words[l]), std::bit_cast<std::uint32_t>(a[l]) << 1);
    EXPECT_EQ(to_floats(words)[l], static_cast<float>(words[l]));
  }
}

TEST(Packs, OfFloatsAreFloats) {
  expect_floats<4>();
  expect_floats<8>();
  expect_floats<16>();
  expect_floats<32>();
}

TEST(Packs, HaveTheRootsOfTheirNumbers) {
  Pack8 pack{};
  for (int l = 0; l < 8; ++l) pack[l] = 0.1 * l * l + l;
  const Pack8 roots = square_root(pack);
  for (int l = 0; l < 8; ++l) EXPECT_EQ(roots[l], std::sqrt(pack[l]));
}

/// Places that are not in order, of an array of more.
template <int n>
void expect_places() {
  double from[3 * n], to[3 * n] = {};
  int at[n];
  for (int i = 0; i < 3 * n; ++i) from[i] = 0.1 * i;
  for (int l = 0; l < n; ++l) at[l] = 3 * ((5 * l + 2) % n) + l % 3;
  const auto pack = gather<Lanes<double, n>>(from, at);
  scatter(to, at, pack);
  double sum = 0;
  for (int l = 0; l < n; ++l) {
    EXPECT_EQ(pack[l], from[at[l]]);
    EXPECT_EQ(to[at[l]], from[at[l]]);
    sum += from[at[l]];
  }
  EXPECT_NEAR(std::accumulate(std::begin(to), std::end(to), 0.0), sum, 1e-12);
}

TEST(Packs, ComeFromPlacesOfAnArrayAndGoThere) {
  expect_places<2>();
  expect_places<4>();
  expect_places<8>();
  expect_places<16>();
}

}  // namespace
}  // namespace hillock
