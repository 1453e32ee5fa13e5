#pragma once
// What WATCH is: which conditions of an instance are tested, and who is called when they come true.
// For any engine; includes no standard header, so that NVRTC can compile it.

#include "mechanisms/evaluator.hpp"

namespace hillock::simulator::step {

/// The WATCHes of an instance, one bit each.
struct WatchBits {
  unsigned active;
  unsigned held;   ///< where the condition held when last tested
  unsigned fired;  ///< that came true at this boundary, and of which the instance has not heard
};

/// What an active WATCH sends, and its rank in the order in which those of a cell were activated.
struct ActiveWatch {
  double flag;
  unsigned long long rank;
};

/// A condition within this of 0 counts as held when WATCH is reached, as in NEURON (hoc_epsilon).
inline constexpr double held_from = -1e-11;

/// A WATCH is reached. The first one of a call ends those of earlier calls, also where they came
/// true and are not heard of yet.
HILLOCK_FUNCTION void activate(WatchBits& bits, const mechanisms::Message& watch, bool is_first) {
  if (is_first) bits = {0, 0, 0};
  const unsigned bit = 1u << watch.number;
  bits.active |= bit;
  bits.held = watch.time_ms >= held_from ? bits.held | bit : bits.held & ~bit;
}

/// Tests the conditions of an instance: those fire that have come true. Returns whether one did.
template <class Condition>
HILLOCK_FUNCTION bool test(WatchBits& bits, int watches, const Condition& condition) {
  for (int n = 0; n < watches; ++n) {
    const unsigned bit = 1u << n;
    if (!(bits.active & bit)) continue;
    const bool holds = condition(n) > 0;
    if (holds && !(bits.held & bit)) bits.fired |= bit;
    bits.held = holds ? bits.held | bit : bits.held & ~bit;
  }
  return bits.fired != 0;
}

}  // namespace hillock::simulator::step
