#pragma once
// Numbers in 16 bits between the least and the greatest of them.

#include <cstdint>
#include <span>
#include <vector>

namespace hillock::io::page {

struct SixteenBits {
  /// Instead of what is infinite or no number.
  static constexpr std::uint16_t gap = 65535;

  float low = 0;   ///< what 0 stands for
  float high = 0;  ///< what 65534 stands for
  std::vector<std::uint16_t> values;
};

/// Appends to `values`; low and high are those of the finite ones given, 0 where none is.
void quantise(std::span<const float> numbers, SixteenBits& into);

}  // namespace hillock::io::page
