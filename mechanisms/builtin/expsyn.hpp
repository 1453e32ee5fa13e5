#pragma once
// A synapse whose conductance jumps by the weight and decays exponentially.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Expsyn {
  static constexpr VariableInfo variables[] = {{"tau", "ms", 0.1, 1e-9, 1e9},
                                               {"e", "mV", 0, -unlimited, unlimited},
                                               {"i", "nA", 0, -unlimited, unlimited},
                                               {"decay", "1", 0, 0, 1},
                                               {"g", "uS", 0, -unlimited, unlimited}};
  static constexpr Coupling couplings[] = {{}};
  static constexpr MechanismInfo info{
      "expsyn",  "synapse: conductance jumps by the weight and decays with tau",
      true,      false,
      false,     2,
      0,         2,
      1,         variables,
      couplings, 0,
      true,      "uS",
      1,         0,
      false,     false,
      false,     false};

  static constexpr bool is_linear = true;

  template <class V>
  struct Variables {
    V tau, e;
    V i, decay;  // decay: the factor of one step
    V g;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    x.decay = exp<V>(-at.dt_ms / x.tau);
    x.g = V{};
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    x.i = x.g * (at.v_mV - x.e);
    return {x.i, x.g};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>&) {
    x.g = x.g * x.decay;
  }

  static HILLOCK_FUNCTION void receive(Variables<double>& x, const Instant<double>&,
                                       Delivery& event) {
    const double weight = event.arguments[0];
    x.g += weight;
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
