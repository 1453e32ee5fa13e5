#pragma once
// The contract between one mechanism and the loops that run it. Includes only plain headers of
// runtime/, so that a kernel assembled from evaluators compiles with NVRTC. The NMODL compiler
// emits this form.
//
// An evaluator is a struct without data:
//
//   struct Pas {
//     static constexpr VariableInfo variables[] = {...};  // at least one entry, as of couplings;
//     static constexpr Coupling couplings[] = {...};      // info says how many count
//     static constexpr MechanismInfo info{...};
//     // One instance, in info's order: parameters, shared, assigned, states.
//     template <class V> struct Variables { V g, e, i; };
//     template <class V> static void initialise(Variables<V>&, const Instant<V>&);
//     template <class V> static Current<V> current(Variables<V>&, const Instant<V>&);
//     template <class V> static void advance(Variables<V>&, const Instant<V>&);
//   };
//
// Members that are there when info says so, all on one instance:
//
//     // info.receives_events
//     static void receive(Variables<double>&, const Instant<double>&, Delivery&);
//     // info.starts: takes the place of `initialise`, which is empty, and may send events
//     static void start(Variables<double>&, const Instant<double>&, Delivery&);
//     // info.begins_connections: sets the arguments of one connection before the run
//     static void connect(Variables<double>&, const Instant<double>&, Delivery&);
//     // info.watches > 0: above 0 while the condition holds
//     static double watch(int number, Variables<double>&, const Instant<double>&);
//
// Of a point neuron (info.is_point_neuron) `advance` is all of a step, and runs in every one, at
// the time of its end, on what the engine has put into info's columns `injected`, `input` and
// `negative_input`; it leaves `spike`. Nothing of it reads v_mV; `current` is empty. `receive` adds
// the weight of one event to the sums, in whatever order; it reads no time.
//
// Every header with an evaluator opens `namespace hillock::mechanisms::inline HILLOCK_ISA`, because
// it is compiled once for each instruction set (core/simd/isa.hpp).
//
// V is double, a pack of doubles, or float where info does not keep doubles; literals, dt and the
// temperature are of its Number. Branches are select(), and no function has a side effect but on
// its own instance. `current` may write assigned variables (they are kept only when recorded, or
// with info.changes_in_current) and `advance` states and what is shared. After `current` the
// variable of a written ion current holds it: mA/cm2 of a density mechanism, nA of a point process.
// Kinds and units: density in mA/cm2 and S/cm2, point processes in nA and uS.

#include "mechanisms/runtime/given_draws.hpp"
#include "mechanisms/runtime/info.hpp"
#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// Where and when an instance is evaluated.
template <class V>
struct Instant {
  V v_mV;           ///< membrane potential
  double time_ms;   ///< explicit time: t + dt/2 in `current`, t + dt in `advance`; an event's own
  Number<V> dt_ms;  ///< 0 in `initialise` when nothing is integrated
  Number<V> celsius;
  /// How far an implicit solve of `advance` goes: dt, or dt/2 where the rest of the step is
  /// explicit, x += x - old (crank_nicolson). The same in every call of a run.
  Number<V> implicit_dt_ms = dt_ms;
  const GivenDraws* given = nullptr;  ///< null where every instance draws for itself
};

/// The same instant in single precision.
HILLOCK_FUNCTION Instant<float> in_single(const Instant<double>& at) {
  return {static_cast<float>(at.v_mV),           at.time_ms,
          static_cast<float>(at.dt_ms),          static_cast<float>(at.celsius),
          static_cast<float>(at.implicit_dt_ms), at.given};
}

/// What a mechanism does to the membrane.
template <class V>
struct Current {
  V i;  ///< outward positive; for electrodes inward positive
  V g;  ///< the exact derivative ∂i/∂v of that i
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

namespace hillock::mechanisms {

/// What an event asks for.
struct Message {
  enum class Kind {
    self,   ///< net_send: an event with `flag` to the instance itself at time_ms
    move,   ///< net_move: the instance's pending self-event moves to time_ms
    spike,  ///< net_event: the instance's cell spikes at time_ms
    /// WATCH: condition `number` sends `flag` once it becomes true; in place of time_ms comes what
    /// it is at the statement, above 0 while it holds.
    watch,
  };
  Kind kind;
  double time_ms;
  double flag;
  int number;
};

/// What NET_RECEIVE is handed beside its instance, and what it asks for.
struct Delivery {
  double* arguments = nullptr;  ///< of the event's connection, the weight first
  double flag = 0;              ///< 0 of an event from outside
  double v_mV = 0;              ///< with info.sets_voltage, the voltage that `receive` leaves
  /// All connections to the instance, for FOR_NETCONS: arguments of connection c at
  /// all_arguments + connections[c].
  double* all_arguments = nullptr;
  const unsigned* connections = nullptr;
  int connection_count = 0;

  static constexpr int most_messages = 16;
  Message messages[most_messages];
  int message_count = 0;  ///< more than most_messages: the rest was lost, which is an error

  HILLOCK_FUNCTION void add(Message::Kind kind, double time_ms, double its_flag, int number) {
    if (message_count < most_messages) messages[message_count] = {kind, time_ms, its_flag, number};
    ++message_count;
  }
};

}  // namespace hillock::mechanisms
