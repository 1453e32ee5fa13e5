#pragma once
// Sodium and potassium currents of a hippocampal cell, Traub and Miles' kinetics as the COBAHH
// benchmark has them. Source: Traub and Miles 1991; Brette et al. 2007, J. Comput. Neurosci.
// 23:349, appendix (benchmark 3).

#include "mechanisms/builtin/hh.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

struct HhTraub {
  static constexpr VariableInfo variables[] = {{"gnabar", "S/cm2", 0.1, 0, 1e9},
                                               {"gkbar", "S/cm2", 0.03, 0, 1e9},
                                               {"vt", "mV", -63, -unlimited, unlimited},
                                               {"ena", "mV", 50, -unlimited, unlimited},
                                               {"ek", "mV", -77, -unlimited, unlimited},
                                               {"ina", "mA/cm2", 0, -unlimited, unlimited},
                                               {"ik", "mA/cm2", 0, -unlimited, unlimited},
                                               {"m", "1", 0, 0, 1},
                                               {"h", "1", 0, 0, 1},
                                               {"n", "1", 0, 0, 1}};
  static constexpr Coupling couplings[] = {{PlaceQuantity::reversal, "na", 1, 3, true, false},
                                           {PlaceQuantity::current, "na", 1, 5, false, true},
                                           {PlaceQuantity::reversal, "k", 1, 4, true, false},
                                           {PlaceQuantity::current, "k", 1, 6, false, true}};
  static constexpr MechanismInfo info{
      "hh_traub", "sodium and potassium currents of Traub and Miles, as in COBAHH (36 degC rates)",
      false,      false,
      false,      3,
      2,          2,
      3,          variables,
      couplings,  4,
      false,      "",
      0,          0,
      false,      false,
      false,      false};

  template <class V>
  struct Variables {
    V gnabar, gkbar, vt;
    V ena, ek;
    V ina, ik;
    V m, h, n;
  };

  template <class V>
  using Gate = Hh::Gate<V>;

  template <class V>
  static HILLOCK_FUNCTION Gate<V> gate(const V& alpha, const V& beta) {
    const V sum = alpha + beta;
    return {alpha / sum, sum};
  }

  /// u: potential above vt, mV.
  template <class V>
  static HILLOCK_FUNCTION Gate<V> m_gate(const V& u) {
    return gate<V>(0.32 * Hh::linoid<V>(13.0 - u, 4.0), 0.28 * Hh::linoid<V>(u - 40.0, 5.0));
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> h_gate(const V& u) {
    return gate<V>(0.128 * exp<V>((17.0 - u) / 18.0), 4.0 / (1.0 + exp<V>((40.0 - u) / 5.0)));
  }

  template <class V>
  static HILLOCK_FUNCTION Gate<V> n_gate(const V& u) {
    return gate<V>(0.032 * Hh::linoid<V>(15.0 - u, 5.0), 0.5 * exp<V>((10.0 - u) / 40.0));
  }

  template <class V>
  static HILLOCK_FUNCTION void initialise(Variables<V>& x, const Instant<V>& at) {
    const V u = at.v_mV - x.vt;
    x.m = m_gate<V>(u).infinity;
    x.h = h_gate<V>(u).infinity;
    x.n = n_gate<V>(u).infinity;
  }

  template <class V>
  static HILLOCK_FUNCTION Current<V> current(Variables<V>& x, const Instant<V>& at) {
    const V gna = x.gnabar * x.m * x.m * x.m * x.h;
    const V gk = x.gkbar * x.n * x.n * x.n * x.n;
    x.ina = gna * (at.v_mV - x.ena);
    x.ik = gk * (at.v_mV - x.ek);
    return {x.ina + x.ik, gna + gk};
  }

  template <class V>
  static HILLOCK_FUNCTION void advance(Variables<V>& x, const Instant<V>& at) {
    const V u = at.v_mV - x.vt;
    x.m = Hh::relax<V>(x.m, m_gate<V>(u), at.dt_ms);
    x.h = Hh::relax<V>(x.h, h_gate<V>(u), at.dt_ms);
    x.n = Hh::relax<V>(x.n, n_gate<V>(u), at.dt_ms);
  }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
