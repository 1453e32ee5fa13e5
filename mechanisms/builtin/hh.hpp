#pragma once
// The squid axon's sodium, potassium and leak currents.
// Source: Hodgkin and Huxley 1952, J. Physiol. 117:500, with the potential shifted to rest at -65 mV.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Hh {
  static constexpr MechanismInfo info{
      "hh", "Hodgkin-Huxley sodium, potassium and leak (squid axon, q10 = 3 from 6.3 degC)", false,
      false, false, "", 4, 2, 4, 3,
      {{"gnabar", "S/cm2", 0.12, 0, 1e9},
       {"gkbar", "S/cm2", 0.036, 0, 1e9},
       {"gl", "S/cm2", 0.0003, 0, 1e9},
       {"el", "mV", -54.3, -unlimited, unlimited},
       {"ena", "mV", 50, -unlimited, unlimited},
       {"ek", "mV", -77, -unlimited, unlimited},
       {"ina", "mA/cm2", 0, -unlimited, unlimited},
       {"ik", "mA/cm2", 0, -unlimited, unlimited},
       {"il", "mA/cm2", 0, -unlimited, unlimited},
       {"q10", "1", 1, 0, unlimited},
       {"m", "1", 0, 0, 1},
       {"h", "1", 0, 0, 1},
       {"n", "1", 0, 0, 1}},
      {{"na", true, true}, {"k", true, true}}};

  template <class V>
  struct Variables {
    V gnabar, gkbar, gl, el;
    V ena, ek;
    V ina, ik, il, q10;
    V m, h, n;
  };

  /// Steady state and relaxation rate (1/ms) of one gate.
  template <class V>
  struct Gate {
    V infinity, rate;
  };

  /// x / (exp(x/y) - 1), continued through x = 0.
  template <class V>
  static HILLOCK_FUNCTION V linoid(const V& x, double y) {
    const V ratio = x / y;
    return select(abs(ratio) < 1e-6, y * (1.0 - ratio / 2.0), x / (exp(ratio) - 1.0));
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> gate(const V& alpha, const V& beta, const V& q10) {
    const V sum = alpha + beta;
    return {alpha / sum, q10 * sum};
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> m_gate(const V& v, const V& q10) {
    return gate<V>(0.1 * linoid<V>(-(v + 40.0), 10.0), 4.0 * exp<V>(-(v + 65.0) / 18.0), q10);
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> h_gate(const V& v, const V& q10) {
    return gate<V>(0.07 * exp<V>(-(v + 65.0) / 20.0), 1.0 / (exp<V>(-(v + 35.0) / 10.0) + 1.0), q10);
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> n_gate(const V& v, const V& q10) {
    return gate<V>(0.01 * linoid<V>(-(v + 55.0), 10.0), 0.125 * exp<V>(-(v + 65.0) / 80.0), q10);
  }

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    // 3^((celsius - 6.3) / 10)
    x.q10 = V{} + exp((at.celsius - 6.3) / 10.0 * 1.0986122886681098);
    x.m = m_gate<V>(at.v_mV, x.q10).infinity;
    x.h = h_gate<V>(at.v_mV, x.q10).infinity;
    x.n = n_gate<V>(at.v_mV, x.q10).infinity;
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    const V gna = x.gnabar * x.m * x.m * x.m * x.h;
    const V gk = x.gkbar * x.n * x.n * x.n * x.n;
    x.ina = gna * (at.v_mV - x.ena);
    x.ik = gk * (at.v_mV - x.ek);
    x.il = x.gl * (at.v_mV - x.el);
    return {x.ina + x.ik + x.il, gna + gk + x.gl};
  }

  template <class V>
  static HILLOCK_FUNCTION V relax(const V& state, const Gate<V>& gate, double dt_ms) {
    return gate.infinity + (state - gate.infinity) * exp<V>(-dt_ms * gate.rate);
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>& at) {
    x.m = relax<V>(x.m, m_gate<V>(at.v_mV, x.q10), at.dt_ms);
    x.h = relax<V>(x.h, h_gate<V>(at.v_mV, x.q10), at.dt_ms);
    x.n = relax<V>(x.n, n_gate<V>(at.v_mV, x.q10), at.dt_ms);
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
