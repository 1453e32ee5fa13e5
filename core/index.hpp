#pragma once
// The one cast from numbers that are signed because -1 means "none" to indices of containers.

#include <concepts>
#include <cstddef>

namespace hillock {

/// A number that is known not to be negative, as an index: values[at(i)].
template <std::integral Integer>
constexpr std::size_t at(Integer i) {
  return static_cast<std::size_t>(i);
}

}  // namespace hillock
