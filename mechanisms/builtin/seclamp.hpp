#pragma once
// One level of a single-electrode voltage clamp: a source behind a series resistance, on for a while.
// A clamp of several levels is as many instances at one place.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms {

struct Seclamp {
  static constexpr MechanismInfo info{
      "seclamp", "voltage clamp through a series resistance", true, true, false, "", 4, 0, 1, 0,
      {{"level", "mV", 0, -unlimited, unlimited},
       {"rs", "MOhm", 1, 1e-12, unlimited},
       {"start", "ms", 0, -unlimited, unlimited},
       {"stop", "ms", 0, -unlimited, unlimited},
       {"i", "nA", 0, -unlimited, unlimited}},
      {}};

  template <class V>
  struct Variables {
    V level, rs, start, stop;
    V i;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>&, const Instant<V>&) {}

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    const V now = V{} + at.time_ms;
    const V closed = V{};
    const V begun = select(now >= x.start, 1.0 / x.rs, closed);
    const V g = select(now < x.stop, begun, closed);
    x.i = g * (x.level - at.v_mV);
    return {x.i, -g};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>&, const Instant<V>&) {}
};

}  // namespace hillock::mechanisms
