#pragma once
// LONGITUDINAL_DIFFUSION: one implicit step of a state along the cable, after the step of its
// reactions, as NEURON has it. Includes no standard header, so that NVRTC can compile it.

#include "core/targets.hpp"

namespace hillock::mechanisms {

/// One instance of a mechanism that diffuses, among those of its cell; parents come first.
struct DiffusionLink {
  int instance;  ///< of the block
  int row;       ///< where it is
  int parent;    ///< which link is the next towards the root; -1: none
  /// 1/um2, with dx and dp the lengths of this compartment and of the parent's:
  /// 2/(dx (dx + dp)) and 2/(dp (dx + dp)).
  double here, at_parent;
};

/// Solves (x' - x)/dt = what flows in from neighbours, over volume, on all links of a cell.
/// numbers: amount(link), coefficient(link), volume(link) and pivot(link), the last a place to work
/// in; amounts are replaced. Number: double or float.
template <class Number, class Numbers>
HILLOCK_FUNCTION void diffuse(const DiffusionLink* links, int count, Number dt_ms,
                              const Numbers& numbers) {
  const auto flow = [&](const DiffusionLink& link) -> Number {
    return (numbers.coefficient(link) + numbers.coefficient(links[link.parent])) / 2;
  };
  const auto from_parent = [&](const DiffusionLink& link) -> Number {
    return static_cast<Number>(link.here) * flow(link) / numbers.volume(link);
  };
  const Number rate = 1 / dt_ms;
  for (int k = 0; k < count; ++k) {
    numbers.pivot(links[k]) = rate;
    numbers.amount(links[k]) *= rate;
  }
  for (int k = count - 1; k >= 0; --k) {
    const DiffusionLink& link = links[k];
    if (link.parent < 0) continue;
    const DiffusionLink& parent = links[link.parent];
    const Number down = from_parent(link);
    const Number up = static_cast<Number>(link.at_parent) * flow(link) / numbers.volume(parent);
    const Number pivot = numbers.pivot(link) + down;
    numbers.pivot(link) = pivot;
    const Number share = up / pivot;
    numbers.pivot(parent) += up - share * down;
    numbers.amount(parent) += share * numbers.amount(link);
  }
  for (int k = 0; k < count; ++k) {
    const DiffusionLink& link = links[k];
    if (link.parent >= 0)
      numbers.amount(link) += from_parent(link) * numbers.amount(links[link.parent]);
    numbers.amount(link) /= numbers.pivot(link);
  }
}

}  // namespace hillock::mechanisms
