#pragma once
// The squid axon's sodium, potassium and leak currents.
// Source: Hodgkin and Huxley 1952, J. Physiol. 117:500, with the potential shifted to rest at -65
// mV.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct Hh {
  static constexpr VariableInfo variables[] = {{"gnabar", "S/cm2", 0.12, 0, 1e9},
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
                                               {"n", "1", 0, 0, 1}};
  static constexpr Coupling couplings[] = {{PlaceQuantity::reversal, "na", 1, 4, true, false},
                                           {PlaceQuantity::current, "na", 1, 6, false, true},
                                           {PlaceQuantity::reversal, "k", 1, 5, true, false},
                                           {PlaceQuantity::current, "k", 1, 7, false, true}};
  static constexpr MechanismInfo info{
      "hh",      "Hodgkin-Huxley sodium, potassium and leak (squid axon, q10 = 3 from 6.3 degC)",
      false,     false,
      false,     4,
      2,         4,
      3,         variables,
      couplings, 4,
      false,     "",
      0,         0,
      false,     false,
      false,     false};

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

  /// x / (e^x - 1) where exp_x is e^x, continued through x = 0.
  template <class V>
  static HILLOCK_FUNCTION V over_expm1(const V& x, const V& exp_x) {
    return select(abs(x) < 1e-4, fma(x, fma(x, V{} + 1.0 / 12, V{} - 0.5), V{} + 1.0),
                  x / (exp_x - 1.0));
  }

  /// x / (e^(x/y) - 1).
  template <class V>
  static HILLOCK_FUNCTION V linoid(const V& x, double y) {
    const V ratio = x * (1.0 / y);
    return y * over_expm1<V>(ratio, exp<V>(ratio));
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> gate(const V& alpha, const V& beta, const V& q10) {
    const V sum = alpha + beta;
    return {alpha / sum, q10 * sum};
  }

  template <class V>
  struct Gates {
    Gate<V> m, h, n;
  };

  /// Of the rates' six exponentials, five are powers of one: e^(-v/10) and e^(-v/20) of e^(-v/80).
  template <class V>
  static HILLOCK_FUNCTION Gates<V> gates(const V& v, const V& q10) {
    const V e80 = exp<V>((v + 65.0) * (-1.0 / 80));
    const V e40 = e80 * e80;
    const V e20 = e40 * e40;
    const V e10 = e20 * e20;  // e^(-(v + 65)/10)
    const V e18 = exp<V>((v + 65.0) * (-1.0 / 18));
    const V xm = (v + 40.0) * -0.1;
    const V xn = (v + 55.0) * -0.1;
    constexpr double e_2_5 = 12.182493960703473;  // e^2.5: (65 - 40)/10
    constexpr double e_1 = 2.718281828459045;     // e^1: (65 - 55)/10
    constexpr double e_3 = 20.085536923187668;    // e^3: (65 - 35)/10
    return {gate<V>(over_expm1<V>(xm, e10 * e_2_5), 4.0 * e18, q10),
            gate<V>(0.07 * e20, 1.0 / (e10 * e_3 + 1.0), q10),
            gate<V>(0.1 * over_expm1<V>(xn, e10 * e_1), 0.125 * e80, q10)};
  }

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    // 3^((celsius - 6.3) / 10)
    x.q10 = V{} + exp((at.celsius - 6.3) / 10.0 * 1.0986122886681098);
    const Gates<V> all = gates<V>(at.v_mV, x.q10);
    x.m = all.m.infinity;
    x.h = all.h.infinity;
    x.n = all.n.infinity;
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    const V gna = x.gnabar * x.m * x.m * x.m * x.h;
    const V n2 = x.n * x.n;
    const V gk = x.gkbar * n2 * n2;
    x.ina = gna * (at.v_mV - x.ena);
    x.ik = gk * (at.v_mV - x.ek);
    x.il = x.gl * (at.v_mV - x.el);
    return {x.ina + x.ik + x.il, gna + gk + x.gl};
  }

  template <class V>
  static HILLOCK_FUNCTION V relax(const V& state, const Gate<V>& gate, double dt_ms) {
    return fma(state - gate.infinity, exp<V>(-dt_ms * gate.rate), gate.infinity);
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>& at) {
    const Gates<V> all = gates<V>(at.v_mV, x.q10);
    x.m = relax<V>(x.m, all.m, at.dt_ms);
    x.h = relax<V>(x.h, all.h, at.dt_ms);
    x.n = relax<V>(x.n, all.n, at.dt_ms);
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
