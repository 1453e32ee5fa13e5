#pragma once
// Sorting by time and then by number what is nearly in order, or has few different times, as spikes
// do.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hillock {

/// Items compare by time and then by number. get_time, get_number: members or functions of an item,
/// which give a finite double and an unsigned integer. Keeps its memory from one call to the next.
template <class Item, auto get_time, auto get_number>
class TimeOrder {
 public:
  /// Counts where items have few times, or times that are spread evenly, and compares them
  /// elsewhere.
  void sort(std::vector<Item>& items) {
    if (std::ranges::is_sorted(items)) return;
    if (items.size() >= few && items.size() <= std::numeric_limits<std::uint32_t>::max()) {
      if (there_.size() < items.size()) there_.resize(items.size());
      if (std::ranges::is_sorted(items, {}, time_of)) return sort_equal_times(items);
      if (sort_parts(items)) return;
    }
    std::ranges::sort(items);
  }

 private:
  static constexpr std::size_t few = 16;  // are sorted as soon by comparisons

  // As objects, which are called in place.
  static constexpr auto time_of = [](const Item& item) -> double {
    return std::invoke(get_time, item);
  };
  static constexpr auto number_of = [](const Item& item) -> std::uint64_t {
    return std::invoke(get_number, item);
  };

  /// Of items in order of time.
  void sort_equal_times(std::span<Item> items) {
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      const double time = time_of(items[begin]);
      while (end < items.size() && time_of(items[end]) == time) ++end;
      sort_by_number(items.subspan(begin, end - begin),
                     std::span(there_).subspan(begin, end - begin));
    }
  }

  /// Puts items into parts of equal time, of eight where they are spread evenly, and sorts each.
  /// False where times lie too near or too far apart for that.
  bool sort_parts(std::span<Item> items) {
    constexpr std::size_t most_parts = 1 << 16;
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const Item& item : items) {
      first = std::min(first, time_of(item));
      last = std::max(last, time_of(item));
    }
    const std::size_t parts = std::min(most_parts, std::bit_ceil(items.size() / 8));
    const double parts_a_ms = static_cast<double>(parts - 1) / (last - first);
    if (!std::isfinite(parts_a_ms) || parts_a_ms == 0) return false;
    const auto part_of = [&](const Item& item) {
      return static_cast<std::uint32_t>(
          static_cast<std::int32_t>((time_of(item) - first) * parts_a_ms));
    };
    begins_.assign(parts + 1, 0);
    for (const Item& item : items) ++begins_[part_of(item) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    for (const Item& item : items) there_[begins_[part_of(item)]++] = item;
    std::size_t begin = 0;  // begins_ are now the parts' ends
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t count = begins_[part] - begin;
      sort_some(std::span(there_).subspan(begin, count), items.subspan(begin, count));
      begin += count;
    }
    std::ranges::copy(std::span(there_).first(items.size()), items.begin());
    return true;
  }

  /// Items of about one time. there: for in between.
  void sort_some(std::span<Item> items, std::span<Item> there) {
    const auto is_of_that_time = [&](const Item& item) {
      return time_of(item) == time_of(items.front());
    };
    if (items.size() >= few && std::ranges::all_of(items, is_of_that_time))
      sort_by_number(items, there);
    else
      std::ranges::sort(items);
  }

  /// Items of one time: the lowest digits first, which are larger the more items there are.
  void sort_by_number(std::span<Item> items, std::span<Item> there) {
    if (std::ranges::is_sorted(items, {}, number_of)) return;
    if (items.size() < few) {
      std::ranges::sort(items, {}, number_of);
      return;
    }
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
    for (const Item& item : items) {
      least = std::min(least, number_of(item));
      most = std::max(most, number_of(item));
    }
    const int bits = std::max(1, static_cast<int>(std::bit_width(most - least)));
    const int most_bits = std::clamp(static_cast<int>(std::bit_width(items.size())) + 1, 6, 11);
    const int rounds = (bits + most_bits - 1) / most_bits;
    const int digit_bits = (bits + rounds - 1) / rounds;
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    for (int round = 0; round < rounds; ++round) {
      const int shift = round * digit_bits;
      const auto digit_of = [=](const Item& item) {
        return (number_of(item) - least) >> shift & mask;
      };
      digits_.assign(mask + 1, 0);
      std::uint32_t* const next = digits_.data();
      for (const Item& item : items) ++next[digit_of(item)];
      std::exclusive_scan(next, next + mask + 1, next, 0u);
      for (const Item& item : items) there[next[digit_of(item)]++] = item;
      std::swap(items, there);
    }
    if (rounds % 2 != 0) std::ranges::copy(items, there.begin());
  }

  std::vector<Item> there_;
  std::vector<std::uint32_t> begins_, digits_;
};

}  // namespace hillock
