#pragma once
// A current electrode: one step, a train of steps, or a ramp.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Iclamp {
  static constexpr VariableInfo variables[] = {{"amplitude", "nA", 0, -unlimited, unlimited},
                                               {"start", "ms", 0, -unlimited, unlimited},
                                               {"duration", "ms", 0, 0, unlimited},
                                               {"period", "ms", 0, 0, unlimited},
                                               {"count", "1", 1, 0, unlimited},
                                               {"slope", "nA/ms", 0, -unlimited, unlimited},
                                               {"i", "nA", 0, -unlimited, unlimited}};
  static constexpr Coupling couplings[] = {{}};
  static constexpr MechanismInfo info{"iclamp",  "current electrode: steps, trains and ramps",
                                      true,      false,
                                      true,      6,
                                      0,         1,
                                      0,         variables,
                                      couplings, 0,
                                      false,     "",
                                      0,         0,
                                      false,     false,
                                      false,     false};

  template <class V>
  struct Variables {
    V amplitude, start, duration, period, count, slope;
    V i;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>&, const Instant<V>&) {}

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    // The pulse whose start is the last one not after now; pulse 0 before the first.
    const V divisor = select(x.period > 0.0, x.period, V{} + 1.0);
    const V turn = floor<V>((at.time_ms - x.start) / divisor);
    const V pulse = max<V>(min<V>(turn, x.count - 1.0), V{});
    const V begin = x.start + pulse * x.period;
    const V in_pulse = at.time_ms - begin;
    const V level = x.amplitude + x.slope * in_pulse;
    const V none = V{};
    const V started = select(V{} + at.time_ms >= begin, level, none);
    const V running = select(V{} + at.time_ms < begin + x.duration, started, none);
    x.i = select(x.count > 0.0, running, none);
    return {x.i, none};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>&, const Instant<V>&) {}
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
