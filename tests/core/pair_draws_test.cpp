// Draws for connections: which words they are of, the same bits in every instruction set and on one
// lane or many, and their distributions.

#include "core/random/pair_draws.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/expressions/block_kernels.hpp"
#include "core/simd/isa.hpp"

namespace hillock {
namespace {

constexpr std::uint64_t key = 0x0123456789abcdefULL;

std::vector<Isa> available_isas() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (is_available(isa)) all.push_back(isa);
  return all;
}

struct Blocks {
  alignas(64) double first[block_size], second[block_size];
};

TEST(PairDraws, AreOfThePhiloxBlockOfTheirCounter) {
  const PhiloxWords<unsigned> words = philox<unsigned>({{7, 8, 9, 10}}, 0x89abcdefu, 0x01234567u);
  const PairOf<double> drawn = draw_pair({{7, 8, 9, 10}}, key, false);
  const auto joined = [&](int i) { return std::uint64_t{words.word[i]} << 32 | words.word[i + 1]; };
  EXPECT_EQ(drawn.first, (static_cast<double>(joined(0) >> 12) + 0.5) * 0x1p-52);
  EXPECT_EQ(drawn.second, (static_cast<double>(joined(2) >> 12) + 0.5) * 0x1p-52);
}

TEST(PairDraws, BlocksGiveTheSameBitsOnEveryInstructionSet) {
  std::vector<std::uint32_t> a(block_size), c(block_size);
  for (std::size_t i = 0; i < block_size; ++i) {
    a[i] = static_cast<std::uint32_t>(i * 2654435761u);
    c[i] = i % 3 == 0 ? 0 : 0xffffffffu - static_cast<std::uint32_t>(i);
  }
  const DrawShape shapes[] = {{DrawShape::uniform, -3, 7},
                              {DrawShape::normal, 1.5, 0.75},
                              {DrawShape::lognormal, -2, 0.5, -1}};
  for (const Isa isa : available_isas())
    for (const std::size_t n : {block_size, std::size_t{1}, std::size_t{67}})
      for (const bool has_c : {false, true})
        for (const DrawShape& shape : shapes) {
          const DrawCounters counters{key, a.data(), 0x80000001u, has_c ? c.data() : nullptr, 3};
          Blocks drawn;
          const BlockKernels& kernels = block_kernels(isa);
          kernels.draw_pairs(counters, shape.is_of_normal(), drawn.first, drawn.second, n);
          kernels.shape(shape, drawn.first, drawn.first, n);
          kernels.shape(shape, drawn.second, drawn.second, n);
          for (std::size_t i = 0; i < n; ++i) {
            const PairOf<double> alone =
                draw_pair({{a[i], 0x80000001u, has_c ? c[i] : 0, 3}}, key, shape.is_of_normal());
            ASSERT_EQ(std::bit_cast<std::uint64_t>(drawn.first[i]),
                      std::bit_cast<std::uint64_t>(shaped(shape, alone.first)))
                << name_of(isa) << " " << i;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(drawn.second[i]),
                      std::bit_cast<std::uint64_t>(shaped(shape, alone.second)))
                << name_of(isa) << " " << i;
          }
        }
}

// Statistical: n = 128e3, fixed key; five standard errors of each moment.
TEST(PairDraws, AreNormalAndIndependent) {
  constexpr std::size_t blocks = 1000;
  constexpr double n = blocks * block_size;
  std::vector<std::uint32_t> a(block_size);
  std::iota(a.begin(), a.end(), 0u);
  double sum = 0, squares = 0, both = 0, both_squares = 0, next = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Blocks drawn;
    block_kernels().draw_pairs({key, a.data(), b, nullptr, 0}, true, drawn.first, drawn.second,
                               block_size);
    for (std::size_t i = 0; i < block_size; ++i) {
      const double x = drawn.first[i], y = drawn.second[i];
      sum += x + y;
      squares += x * x + y * y;
      both += x * y;
      both_squares += (x * x - 1) * (y * y - 1);
      next += x * drawn.first[(i + 1) % block_size];
    }
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(squares / n, 2, 5 * std::sqrt(4 / n));
  EXPECT_NEAR(both / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(both_squares / n, 0, 5 * 2 / std::sqrt(n));
  EXPECT_NEAR(next / n, 0, 5 / std::sqrt(n));
}

TEST(PairDraws, WhatATruncatedShapeRefusesIsDrawnWithTheNextAttempt) {
  DrawShape shape{DrawShape::normal, 0, 1};
  shape.truncated = true;
  shape.minimum = 1;
  shape.maximum = 1.5;
  for (unsigned a = 0; a < 100; ++a) {
    unsigned attempt = 0;
    double expected = draw_pair({{a, 1, 2, attempt}}, key, true).second;
    while (expected < 1 || expected > 1.5)
      expected = draw_pair({{a, 1, 2, ++attempt}}, key, true).second;
    EXPECT_EQ(drawn_value(shape, a, 1, 2, key, true), expected);
  }
}

TEST(BlockKernels, ExtendToTheLeastAndTheGreatest) {
  for (const Isa isa : available_isas())
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{8}, std::size_t{29}}) {
      std::vector<double> values(n);
      double low = 0.5, high = 0.5, least = low, greatest = high;
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = i % 5 == 4 ? NAN : std::sin(static_cast<double>(i * i));
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
      block_kernels(isa).extend(values.data(), n, &least, &greatest);
      EXPECT_EQ(least, low) << name_of(isa) << " " << n;
      EXPECT_EQ(greatest, high) << name_of(isa) << " " << n;
    }
}

}  // namespace
}  // namespace hillock
