#include "io/page/sixteen_bits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hillock::io::page {

void quantise(std::span<const float> numbers, SixteenBits& into) {
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  for (const float number : numbers)
    if (std::isfinite(number)) {
      low = std::min(low, number);
      high = std::max(high, number);
    }
  if (low > high) low = high = 0;
  into.low = low;
  into.high = high;
  // In doubles: the distance of two floats may be infinite as a float.
  const double span = static_cast<double>(high) - static_cast<double>(low);
  const double scale = span > 0 ? 65534 / span : 0;
  for (const float number : numbers)
    into.values.push_back(
        std::isfinite(number)
            ? static_cast<std::uint16_t>(
                  std::lround((static_cast<double>(number) - static_cast<double>(low)) * scale))
            : SixteenBits::gap);
}

}  // namespace hillock::io::page
