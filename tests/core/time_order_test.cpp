#include "core/containers/time_order.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/ids.hpp"

namespace hillock {
namespace {

struct Timed {
  double time = 0;
  std::uint64_t number = 0;

  auto operator<=>(const Timed&) const = default;
};

using Order = TimeOrder<Timed, &Timed::time, &Timed::number>;
using Draw = std::function<double(std::mt19937_64&)>;

double part(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Sorts items of drawn times and numbers below `numbers`, which is 0 for any.
void expect_sorted(Order& order, std::size_t count, std::uint64_t numbers, const Draw& time) {
  std::mt19937_64 random(count + numbers);
  std::vector<Timed> items;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = random();
    items.push_back({time(random), numbers == 0 ? number : number % numbers});
  }
  std::vector<Timed> wanted = items;
  std::ranges::sort(wanted);
  order.sort(items);
  ASSERT_TRUE(items == wanted) << count << " items, numbers below " << numbers;
}

void expect_sorted(const Draw& time) {
  Order order;
  for (const std::size_t count : {0, 1, 2, 15, 16, 17, 100, 2000, 70'000, 1000})
    for (const std::uint64_t numbers : {1ull, 2ull, 300ull, 100'000ull, 1ull << 40, 0ull})
      expect_sorted(order, count, numbers, time);
}

TEST(TimeOrder, SortsOneTime) {
  expect_sorted([](auto&) { return 2.5; });
}

TEST(TimeOrder, SortsFewTimesThatDoNotRise) {
  expect_sorted([](auto& random) { return 0.1 * static_cast<double>(random() % 160); });
}

TEST(TimeOrder, SortsTimesThatRise) {
  int now = 0;
  expect_sorted([&](auto& random) { return 0.1 * (now += random() % 40 == 0 ? 1 : 0); });
}

TEST(TimeOrder, SortsTimesWithinSteps) {
  expect_sorted(part);
  expect_sorted([](auto& random) { return part(random) - 7; });
}

/// Most of them in one of the parts that times are put into.
TEST(TimeOrder, SortsTimesThatAreSpreadUnevenly) {
  expect_sorted([](auto& random) { return random() % 1000 == 0 ? 1e6 : part(random); });
  expect_sorted([](auto& random) { return random() % 3 == 0 ? 1e6 + part(random) : 1; });
}

TEST(TimeOrder, SortsTimesAsNearAndAsFarAsNumbersAllow) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  expect_sorted([&](auto& random) { return static_cast<double>(random() % 5) * least; });
  expect_sorted([&](auto& random) { return random() % 2 == 0 ? most : -most; });
  expect_sorted([&](auto& random) { return random() % 2 == 0 ? most * part(random) : 0; });
  expect_sorted([&](auto& random) { return 1 + static_cast<double>(random() % 3) * 0x1p-52; });
}

}  // namespace
}  // namespace hillock
