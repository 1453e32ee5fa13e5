// The loops that draw for many cells: that every instruction set gives each cell the draw that is
// its own (step_draws_test.cpp), whatever cells it stands among.

#include "mechanisms/draws/step_draw_loops.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "mechanisms/runtime/step_draws.hpp"

namespace hillock::mechanisms {
namespace {

std::vector<std::uint64_t> every(std::uint64_t first, std::uint64_t stride, std::size_t count) {
  std::vector<std::uint64_t> cells(count);
  for (std::size_t i = 0; i < count; ++i) cells[i] = first + stride * i;
  return cells;
}

std::vector<std::vector<std::uint64_t>> lists() {
  std::vector<std::uint64_t> mixed = every(64, 1, 32);
  mixed.push_back(97);
  for (const std::uint64_t cell : every(128, 1, 70)) mixed.push_back(cell);
  std::vector<std::uint64_t> gap = every(32, 1, 32);
  gap.erase(gap.begin() + 9);
  gap.push_back(64);
  return {{},
          {5},
          every(0, 1, 32),
          every(0, 1, 256),
          every(7, 1, 250),
          every(16, 1, 33),
          every(3, 3, 100),
          every((1ull << 33) - 40, 1, 90),
          mixed,
          gap};
}

template <class Body>
void each_set_and_list(const Body& body) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    for (const std::vector<std::uint64_t>& cells : lists()) body(step_draw_loops(isa), cells);
  }
}

constexpr std::uint64_t seed = (3ull << 32) + 17, step = (1ull << 32) + 5;
constexpr std::uint32_t stimulus = 40000;

TEST(StepDrawLoops, GiveEachCellItsOwnNormalDraw) {
  each_set_and_list([](const StepDrawLoops& loops, const std::vector<std::uint64_t>& cells) {
    std::vector<double> draws(cells.size());
    loops.normal({seed, stimulus, step, cells.data(), cells.size()}, draws.data());
    for (std::size_t i = 0; i < cells.size(); ++i)
      EXPECT_EQ(draws[i], step_normal(seed, stimulus, cells[i], step)) << cells[i];
  });
}

/// The cells behind the last one would make whole pairs with those before.
TEST(StepDrawLoops, DrawForNobodyBeyondTheLast) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    const std::vector<std::uint64_t> cells = every(0, 1, 128);
    for (const std::size_t count : {31u, 32u, 33u, 63u, 65u, 90u}) {
      std::vector<double> draws(cells.size(), 17);
      step_draw_loops(isa).normal({seed, stimulus, step, cells.data(), count}, draws.data());
      for (std::size_t i = 0; i < cells.size(); ++i)
        EXPECT_EQ(draws[i], i < count ? step_normal(seed, stimulus, i, step) : 17)
            << i << " of " << count;
    }
  }
}

TEST(StepDrawLoops, GiveEachCellItsOwnCount) {
  each_set_and_list([](const StepDrawLoops& loops, const std::vector<std::uint64_t>& cells) {
    std::vector<double> means(cells.size()), counts(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) means[i] = 0.5 + static_cast<double>(i % 7);
    for (const std::size_t stride : {0u, 1u}) {
      const double one = 2.5;
      loops.poisson({seed, stimulus, step, cells.data(), cells.size()},
                    stride == 0 ? &one : means.data(), stride, counts.data());
      for (std::size_t i = 0; i < cells.size(); ++i)
        EXPECT_EQ(counts[i], poisson_quantile(stride == 0 ? one : means[i],
                                              step_uniform(seed, stimulus, cells[i], step)))
            << cells[i];
    }
  });
}

TEST(StepDrawLoops, AddScaledDraws) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    for (const std::size_t mean_stride : {0u, 1u})
      for (const std::size_t sd_stride : {0u, 1u}) {
        constexpr std::size_t count = 43;
        std::vector<double> mean(count), sd(count), draws(count), to(count, 0.25);
        std::iota(mean.begin(), mean.end(), 0.3);
        std::iota(sd.begin(), sd.end(), 1.7);
        std::iota(draws.begin(), draws.end(), -20.1);
        step_draw_loops(isa).add_scaled(mean.data(), mean_stride, sd.data(), sd_stride,
                                        draws.data(), count, to.data());
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(to[i], 0.25 + (mean[i * mean_stride] + sd[i * sd_stride] * draws[i]));
      }
  }
}

}  // namespace
}  // namespace hillock::mechanisms
