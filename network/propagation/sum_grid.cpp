#include "network/propagation/sum_grid.hpp"

#include <algorithm>
#include <cmath>

namespace hillock::network {

namespace {

constexpr int bits_below_the_largest = 40, bits_of_a_weight = 30;

/// The power of 2 that a positive number does not exceed.
int exponent_above(double number) {
  int exponent = 0;
  return std::frexp(number, &exponent) == 0.5 ? exponent - 1 : exponent;
}

}  // namespace

SumGrid::SumGrid(double largest_weight) {
  if (largest_weight > 0)
    spacing_ = std::ldexp(1.0, exponent_above(largest_weight) - bits_below_the_largest);
}

std::int64_t SumGrid::multiple_of(double weight) const {
  return std::llrint(weight / spacing_);
}

int SumGrid::shift_for(double largest_weight) const {
  if (!(largest_weight > 0)) return 0;
  const int of_weight = exponent_above(largest_weight) - bits_of_a_weight;
  return std::max(0, of_weight - std::ilogb(spacing_));
}

}  // namespace hillock::network
