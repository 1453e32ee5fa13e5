#pragma once
// Sums of weights that do not depend on the order of their summands: weights are whole multiples of
// one number, and so is their sum. The same on host and device.

#include <cstdint>

#include "core/simd/targets.hpp"

namespace hillock::network {

/// What the sums of one population's inputs are multiples of: a power of 2, 2^40 times smaller than
/// one that no weight onto the population exceeds. A sum may have 2^23 such weights.
class SumGrid {
 public:
  /// largest_weight: of all onto the population, an absolute value; 0: there are none.
  explicit SumGrid(double largest_weight = 0);

  /// What a sum of 1 stands for, in the weights' unit.
  double spacing() const { return spacing_; }
  /// The multiple that is next to a weight that is in range. Halves go to the even one.
  std::int64_t multiple_of(double weight) const;
  /// What a weight is rounded to of those of a projection whose largest one is that: 2^30 numbers
  /// up to it, but never finer than the sums. Times 2^shift it is a sum.
  int shift_for(double largest_weight) const;

  /// So many connections may reach one neuron: all of them at once still add up.
  static constexpr std::uint64_t most_connections = std::uint64_t{1} << 22;
  /// How much smaller than the largest weight onto a population the largest one of a projection may
  /// be: it is kept to one part in 2^20.
  static constexpr double least_ratio = 0x1p-20;

 private:
  double spacing_ = 1;
};

}  // namespace hillock::network
