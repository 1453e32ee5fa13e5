#pragma once
// What arrays take of memory.

#include <cstddef>
#include <vector>

namespace hillock {

/// What an allocator adds to a piece: its header, and rounding on average.
inline constexpr std::size_t bytes_beside_a_piece = 16;

/// What a vector has asked for, without what its elements have asked for.
template <class T, class Allocator>
std::size_t bytes_of(const std::vector<T, Allocator>& values) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): an element may be a pointer.
  return values.capacity() == 0 ? 0 : values.capacity() * sizeof(T) + bytes_beside_a_piece;
}

}  // namespace hillock
