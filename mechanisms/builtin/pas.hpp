#pragma once
// A passive leak.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Pas {
  static constexpr VariableInfo variables[] = {{"g", "S/cm2", 0.001, 0, 1e9},
                                               {"e", "mV", -70, -unlimited, unlimited},
                                               {"i", "mA/cm2", 0, -unlimited, unlimited}};
  static constexpr Coupling couplings[] = {{}};
  static constexpr MechanismInfo info{"pas",     "passive leak: i = g (v - e)",
                                      false,     false,
                                      false,     2,
                                      0,         1,
                                      0,         variables,
                                      couplings, 0,
                                      false,     "",
                                      0,         0,
                                      false,     false,
                                      false,     false};

  static constexpr bool is_constant = true;

  template <class V>
  struct Variables {
    V g, e;
    V i;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>&, const Instant<V>&) {}

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    x.i = x.g * (at.v_mV - x.e);
    return {x.i, x.g};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>&, const Instant<V>&) {}
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
