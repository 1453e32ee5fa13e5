#pragma once
// LONGITUDINAL_DIFFUSION: one implicit step of a state along the cable, after the step of its
// reactions, as NEURON has it. Includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::solver {

/// One instance of a mechanism that diffuses, among those of its cell; parents come first.
struct DiffusionLink {
  int instance;  ///< of the block
  int row;       ///< where it is
  int parent;    ///< which link is the next towards the root; -1: none
  /// 1/um2, with dx and dp the lengths of this compartment and of the parent's:
  /// 2/(dx (dx + dp)) and 2/(dp (dx + dp)).
  double here, at_parent;
};

/// What there is of one state at every link.
enum class Diffusing {
  amount,
  coefficient,  ///< diffusion constant times cross section
  volume,       ///< per length; the step works in it
  pivot,        ///< a place to work in
};

/// Solves (x' - x)/dt = what flows in from neighbours, over volume, on all links of a cell; amounts
/// are replaced. numbers: V get<Diffusing>(link), set<Diffusing>(link, V). V: double, float or a
/// pack. Cost O(count), two divisions a link. Source: Hines 1984.
template <class V, class Numbers>
HILLOCK_FUNCTION void diffuse(const DiffusionLink* links, int count, double dt_ms,
                              const Numbers& numbers) {
  using enum Diffusing;
  const V one = V{} + 1, rate = one / (V{} + dt_ms);
  for (int k = 0; k < count; ++k) {
    const DiffusionLink& link = links[k];
    numbers.template set<pivot>(link, rate);
    numbers.template set<amount>(link, numbers.template get<amount>(link) * rate);
    numbers.template set<volume>(link, one / numbers.template get<volume>(link));
  }
  for (int k = count - 1; k >= 0; --k) {
    const DiffusionLink& link = links[k];
    V own = numbers.template get<pivot>(link);
    if (link.parent >= 0) {
      const DiffusionLink& parent = links[link.parent];
      const V flow =
          (numbers.template get<coefficient>(link) + numbers.template get<coefficient>(parent)) *
          0.5;
      const V down = flow * link.here * numbers.template get<volume>(link);
      const V up = flow * link.at_parent * numbers.template get<volume>(parent);
      own = one / (own + down);
      const V share = up * own;
      numbers.template set<pivot>(parent,
                                  numbers.template get<pivot>(parent) + (up - share * down));
      numbers.template set<amount>(parent, numbers.template get<amount>(parent) +
                                               share * numbers.template get<amount>(link));
      numbers.template set<volume>(link, down);  // whose volume nobody needs any more
    } else {
      own = one / own;
    }
    numbers.template set<pivot>(link, own);
  }
  for (int k = 0; k < count; ++k) {
    const DiffusionLink& link = links[k];
    V sum = numbers.template get<amount>(link);
    if (link.parent >= 0)
      sum = sum +
            numbers.template get<volume>(link) * numbers.template get<amount>(links[link.parent]);
    numbers.template set<amount>(link, sum * numbers.template get<pivot>(link));
  }
}

}  // namespace hillock::solver
