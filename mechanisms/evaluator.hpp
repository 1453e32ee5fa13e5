#pragma once
// The contract between one mechanism and the loops that run it. Includes only math.hpp, so that a
// kernel assembled from evaluators compiles with NVRTC. The NMODL compiler emits this form.
//
// An evaluator is a struct without data:
//
//   struct Pas {
//     static constexpr MechanismInfo info{...};              // names, units, defaults, limits
//     template <class V> struct Variables { V g, e, i; };    // one instance, in info's order:
//                                                            // parameters, ions, assigned, states
//     template <class V> static void initialise(Variables<V>&, const Instant<V>&);
//     template <class V> static Current<V> current(Variables<V>&, const Instant<V>&);
//     template <class V> static void advance(Variables<V>&, const Instant<V>&);
//     static void receive(Variables<double>&, double weight, double time_ms);   // point processes
//   };
//
// Two more members may be there, both false when they are not:
//   static constexpr bool is_linear = true;    // a point process of which several instances with
//     equal parameters at one place act as one that receives all their events, the recorded
//     variables being sums: states start at 0, `advance` and `current` are linear in the states,
//     `receive` adds to them
//   static constexpr bool is_constant = true;  // i = g·v - s with g and s that never change during
//     a run: no states, no time; such parts of the matrix are eliminated once
//
// Every header with an evaluator opens `namespace hillock::mechanisms::inline HILLOCK_ISA`, because
// it is compiled once for each instruction set (core/isa.hpp).
//
// V is double or a pack of doubles: branches are select(), and no function has a side effect but on
// its own instance. `current` may write assigned variables (they are kept only when recorded) and
// `advance` only states. Kinds and units: density in mA/cm2 and S/cm2, point processes in nA and
// uS.

#include "mechanisms/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// Where and when an instance is evaluated.
template <class V>
struct Instant {
  V v_mV;            ///< membrane potential
  double time_ms;    ///< explicit time: t + dt/2 in `current`, t + dt in `advance`
  double dt_ms;      ///< 0 in `initialise` when nothing is integrated
  double celsius;
};

/// What a mechanism does to the membrane.
template <class V>
struct Current {
  V i;  ///< outward positive; for electrodes inward positive
  V g;  ///< the exact derivative ∂i/∂v of that i
};

struct VariableInfo {
  const char* name;
  const char* unit;
  double default_value;
  double minimum;
  double maximum;
};

inline constexpr double unlimited = 1e300;

struct IonInfo {
  const char* ion;
  bool reads_reversal;
  bool writes_current;
};

struct MechanismInfo {
  const char* name;
  const char* description;
  bool is_point_process;
  bool is_electrode;
  bool receives_events;
  const char* weight_unit;
  /// How many of the variables are of each role, in this order.
  int parameters;
  int ions;
  int assigned;
  int states;
  VariableInfo variables[24];
  IonInfo ion_uses[4];

  HILLOCK_FUNCTION constexpr int count() const { return parameters + ions + assigned + states; }
  HILLOCK_FUNCTION constexpr int first_assigned() const { return parameters + ions; }
  HILLOCK_FUNCTION constexpr int first_state() const { return parameters + ions + assigned; }
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
