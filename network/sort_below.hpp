#pragma once
// Sorting numbers that are known to be small.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace hillock::network {

/// Sorts numbers below `bound`, the lowest byte first where there are many. there: for in between.
inline void sort_below(std::uint64_t bound, std::span<std::uint32_t> numbers,
                       std::vector<std::uint32_t>& there) {
  constexpr std::size_t few = 64;
  constexpr int digit_bits = 8, digits = 1 << digit_bits;
  if (numbers.size() < few) {
    std::ranges::sort(numbers);
    return;
  }
  if (there.size() < numbers.size()) there.resize(numbers.size());
  std::span<std::uint32_t> from = numbers, to = std::span(there).first(numbers.size());
  for (int shift = 0; shift < 32 && (bound - 1) >> shift != 0; shift += digit_bits) {
    const auto digit = [shift](std::uint32_t number) { return number >> shift & (digits - 1); };
    std::array<std::uint32_t, digits> next{};
    for (const std::uint32_t number : from) ++next[digit(number)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
    for (const std::uint32_t number : from) to[next[digit(number)]++] = number;
    std::swap(from, to);
  }
  if (from.data() != numbers.data()) std::ranges::copy(from, numbers.begin());
}

}  // namespace hillock::network
