#pragma once
// Where the elements of cells lie on a device: one cell after the other or, where cells have a
// thread each, side by side.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace hillock::simulator::on_device {

/// So many words hold that many bytes.
constexpr std::size_t words_of(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// Where element 0 of every cell is on the device, and how many elements there are.
struct Elements {
  std::vector<unsigned long long> first;  ///< [cell]
  std::size_t size = 0;

  Elements() = default;
  /// From counts of cells. stride: so many cells lie side by side.
  Elements(std::span<const std::uint32_t> counts, std::size_t stride) : first(counts.size()) {
    for (std::size_t begin = 0; begin < counts.size(); begin += stride) {
      const std::size_t end = std::min(begin + stride, counts.size());
      std::uint32_t most = 0;
      for (std::size_t c = begin; c < end; ++c) {
        first[c] = size + (c - begin);
        most = std::max(most, counts[c]);
      }
      size += most * stride;
    }
  }
};

/// Values that lie cell by cell, put where the elements of cells that lie side by side are.
template <class T>
std::vector<T> arranged(std::span<const T> values, std::span<const std::uint32_t> counts,
                        const Elements& elements, std::size_t stride, T filler) {
  if (values.empty()) return {};
  std::vector<T> result(elements.size, filler);
  std::vector<std::size_t> from;  // of the cells that lie side by side
  std::size_t next = 0;
  for (std::size_t begin = 0; begin < counts.size(); begin += stride) {
    const auto side_by_side = counts.subspan(begin, std::min(stride, counts.size() - begin));
    from.clear();
    for (const std::uint32_t count : side_by_side) {
      from.push_back(next);
      next += count;
    }
    T* to = result.data() + elements.first[begin];
    for (std::uint32_t i = 0; i < std::ranges::max(side_by_side); ++i, to += stride)
      for (std::size_t c = 0; c < from.size(); ++c)
        if (i < side_by_side[c]) to[c] = values[from[c] + i];
  }
  return result;
}

/// The same for several values an instance, which stay side by side.
template <class List>
auto spread(const List& values, std::span<const std::uint32_t> counts, const Elements& elements,
            std::size_t stride, std::size_t width) {
  std::vector<std::decay_t<decltype(values[0])>> result(elements.size * width);
  std::size_t from = 0;
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t i = 0; i < counts[c]; ++i)
      for (std::size_t w = 0; w < width; ++w)
        result[(elements.first[c] + i * stride) * width + w] = values[from++];
  return result;
}

/// The way back of both.
template <class T>
std::vector<T> gathered(const std::vector<T>& values, std::span<const std::uint32_t> counts,
                        const Elements& elements, std::size_t stride, std::size_t width = 1) {
  std::vector<T> result;
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t i = 0; i < counts[c]; ++i) {
      const T* const first = &values[(elements.first[c] + i * stride) * width];
      result.insert(result.end(), first, first + width);
    }
  return result;
}

}  // namespace hillock::simulator::on_device
