#pragma once
// One level of a single-electrode voltage clamp: a source behind a series resistance, on for a
// while. A clamp of several levels is as many instances at one place.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Seclamp {
  static constexpr VariableInfo variables[] = {{"level", "mV", 0, -unlimited, unlimited},
                                               {"rs", "MOhm", 1, 1e-12, unlimited},
                                               {"start", "ms", 0, -unlimited, unlimited},
                                               {"stop", "ms", 0, -unlimited, unlimited},
                                               {"i", "nA", 0, -unlimited, unlimited}};
  static constexpr Coupling couplings[] = {{}};
  static constexpr MechanismInfo info{"seclamp", "voltage clamp through a series resistance",
                                      true,      false,
                                      true,      4,
                                      0,         0,
                                      1,         variables,
                                      couplings, 0,
                                      false,     "",
                                      0,         0,
                                      false,     false,
                                      false,     false};

  template <class V>
  struct Variables {
    V level, rs, start, stop;
    V i;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    x.i = conductance(x, V{} + at.time_ms) * (x.level - at.v_mV);
  }

  template <class V>
  static HILLOCK_FUNCTION V conductance(const Variables<V>& x, const V& now) {
    const V closed = V{};
    const V begun = select(now >= x.start, 1.0 / x.rs, closed);
    return select(now < x.stop, begun, closed);
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    const V g = conductance(x, V{} + at.time_ms);
    return {g * (x.level - at.v_mV), -g};
  }

  /// The clamp's current at the end of the step: with the voltage that the step led to.
  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>& at) {
    x.i = conductance(x, V{} + (at.time_ms - 0.5 * at.dt_ms)) * (x.level - at.v_mV);
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
