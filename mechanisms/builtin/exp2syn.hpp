#pragma once
// A synapse whose conductance rises and falls with two time constants; its peak is the weight.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Exp2syn {
  static constexpr VariableInfo variables[] = {{"tau1", "ms", 0.1, 1e-9, 1e9},
                                               {"tau2", "ms", 10, 1e-9, 1e9},
                                               {"e", "mV", 0, -unlimited, unlimited},
                                               {"i", "nA", 0, -unlimited, unlimited},
                                               {"g", "uS", 0, -unlimited, unlimited},
                                               {"factor", "1", 1, -unlimited, unlimited},
                                               {"decay1", "1", 0, 0, 1},
                                               {"decay2", "1", 0, 0, 1},
                                               {"A", "uS", 0, -unlimited, unlimited},
                                               {"B", "uS", 0, -unlimited, unlimited}};
  static constexpr Coupling couplings[] = {{}};
  static constexpr MechanismInfo info{
      "exp2syn",
      "synapse: conductance rises with tau1 and falls with tau2, peak equal to the weight",
      true,
      false,
      false,
      3,
      0,
      5,
      2,
      variables,
      couplings,
      0,
      true,
      "uS",
      1,
      0,
      false,
      false,
      false,
      false};

  static constexpr bool is_linear = true;

  template <class V>
  struct Variables {
    V tau1, tau2, e;
    V i, g, factor, decay1, decay2;
    V A, B;
  };

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    // The rise must be faster than the fall, however little.
    x.tau1 = select(x.tau1 / x.tau2 > 0.9999, 0.9999 * x.tau2, x.tau1);
    x.decay1 = exp<V>(-at.dt_ms / x.tau1);
    x.decay2 = exp<V>(-at.dt_ms / x.tau2);
    // B - A peaks at peak_time; factor makes that peak the weight.
    const V log_ratio = log<V>(x.tau2 / x.tau1);
    const V peak_time = x.tau1 * x.tau2 / (x.tau2 - x.tau1) * log_ratio;
    x.factor = 1.0 / (exp<V>(-peak_time / x.tau2) - exp<V>(-peak_time / x.tau1));
    x.A = V{};
    x.B = x.A;
    x.g = x.A;
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    x.g = x.B - x.A;
    x.i = x.g * (at.v_mV - x.e);
    return {x.i, x.g};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>&) {
    x.A = x.A * x.decay1;
    x.B = x.B * x.decay2;
  }

  static HILLOCK_FUNCTION void receive(Variables<double>& x, const Instant<double>&,
                                       Delivery& event) {
    const double weight = event.arguments[0];
    x.A += weight * x.factor;
    x.B += weight * x.factor;
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
