#pragma once
// Sorting numbers that are known to be small.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace hillock::network {

/// Sorts by key(item), numbers below `bound`, the lowest byte first where there are many. Items
/// with one key keep their order. there: for in between.
template <class Item, class Key>
void sort_by_key_below(std::uint64_t bound, std::span<Item> items, std::vector<Item>& there,
                       const Key& key) {
  constexpr std::size_t few = 64;
  constexpr int digit_bits = 8, digits = 1 << digit_bits;
  if (items.size() < few) {
    std::ranges::stable_sort(items, {}, key);
    return;
  }
  if (there.size() < items.size()) there.resize(items.size());
  std::span<Item> from = items, to = std::span(there).first(items.size());
  for (int shift = 0; shift < 32 && (bound - 1) >> shift != 0; shift += digit_bits) {
    const auto digit = [&](const Item& item) { return key(item) >> shift & (digits - 1); };
    std::array<std::uint32_t, digits> next{};
    for (const Item& item : from) ++next[digit(item)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
    for (const Item& item : from) to[next[digit(item)]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::ranges::copy(from, items.begin());
}

/// Sorts numbers below `bound`.
inline void sort_below(std::uint64_t bound, std::span<std::uint32_t> numbers,
                       std::vector<std::uint32_t>& there) {
  sort_by_key_below(bound, numbers, there, [](std::uint32_t number) { return number; });
}

}  // namespace hillock::network
