#pragma once
// What an evaluator says of its mechanism: plain data, the same for every instruction set. The
// NMODL compiler alone fills it (mechanisms/nmodl/emit/description.hpp). Includes no standard
// header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::mechanisms {

inline constexpr double unlimited = 1e300;

struct VariableInfo {
  const char* name = "";
  const char* unit = "";
  double default_value = 0;
  double minimum = -unlimited;
  double maximum = unlimited;
  bool is_indexed = false;  ///< an element of an array that a run indexes, beside the others of it
  bool is_held = false;     ///< steps read what `initialise` has made of it
};

/// What a mechanism shares with its location on a cell.
enum class SharedQuantity {
  current,   ///< an ion's current, mA/cm2: ica
  reversal,  ///< an ion's reversal potential, mV: eca
  inside,    ///< an ion's inner concentration, mM: cai
  outside,   ///< an ion's outer concentration, mM: cao
  area,      ///< of the membrane, um2
  diameter,  ///< of the compartment, um
  pointer,   ///< POINTER: a variable at the same location that the model names
  stream,    ///< a number that no other instance has: the key of its random draws
};

/// One variable that lives outside the instance.
struct Coupling {
  SharedQuantity quantity = SharedQuantity::current;
  const char* ion = "";  ///< "ca"; empty where there is none
  double valence = 0;    ///< of the ion; 0: the usual one of that ion
  int column = 0;        ///< of the instance's variables
  bool reads = false;
  bool writes = false;

  /// Whether the mechanism adds to an ion's current.
  HILLOCK_FUNCTION constexpr bool adds() const {
    return writes && quantity == SharedQuantity::current;
  }
  /// Whether the mechanism sets what the location keeps.
  HILLOCK_FUNCTION constexpr bool sets() const {
    return writes && quantity != SharedQuantity::current;
  }
  /// Whether the ion changes by it during a run, or has its current gathered.
  HILLOCK_FUNCTION constexpr bool stirs_ion() const {
    return *ion && (sets() || (reads && quantity == SharedQuantity::current));
  }
};

/// A state that LONGITUDINAL_DIFFUSION spreads along the cable, and three hidden states; all are
/// columns. `advance` leaves the first two, the engine works in the third
/// (solver/diffusion.hpp).
struct Diffusion {
  int state = 0;        ///< of a concentration that is an ion's, the column of its coupling
  int coefficient = 0;  ///< diffusion constant times cross section, as the file has it: um4/ms
  int volume = 0;       ///< of COMPARTMENT: um2, per length
  int pivot = 0;
};

struct MechanismInfo {
  const char* name = "";
  const char* description = "";
  bool is_point_process = false;
  bool is_artificial = false;  ///< a point process without a membrane: ARTIFICIAL_CELL
  bool is_electrode = false;
  /// How many of the variables are of each role, in this order.
  int parameters = 0;
  int shared = 0;  ///< supplied by the location: eca, cai, area
  int assigned = 0;
  int states = 0;
  int hidden = 0;         ///< how many of the assigned, the last ones, nobody is to see
  int hidden_states = 0;  ///< the same of the states
  const VariableInfo* variables = nullptr;
  const Coupling* couplings = nullptr;
  int coupling_count = 0;
  bool receives_events = false;
  const char* weight_unit = "";
  int arguments = 0;                                ///< of NET_RECEIVE, the weight first
  const VariableInfo* further_arguments = nullptr;  ///< names and units of those behind it
  bool keeps_arguments = false;  ///< connections remember their arguments from event to event
  int watches = 0;               ///< WATCH statements
  /// NET_RECEIVE sets the membrane potential where the instance is: Delivery::v_mV.
  bool sets_voltage = false;
  bool sends_events = false;        ///< to itself, or spikes, or by WATCH
  bool starts = false;              ///< has `start`
  bool begins_connections = false;  ///< has `connect`
  bool changes_in_current = false;  ///< `current` changes variables that last
  bool undoes_both = false;         ///< an adjoint, whose `advance` undoes `current`, too
  bool changes_parameters = false;  ///< parameters change during a run
  /// A point process of which several instances with equal parameters at one location act as one
  /// that receives all their events, the recorded variables being sums: states start at 0,
  /// `advance` and `current` are linear in the states, `receive` adds to them.
  bool is_linear = false;
  /// i = g·v - s with g and s that never change during a run: no states, no time; such parts of the
  /// matrix are eliminated once.
  bool is_constant = false;
  /// Its numbers do not fit into a float: times, the stream and count of random numbers. In single
  /// precision its variables stay doubles.
  bool keeps_doubles = false;
  /// An artificial cell whose `advance` is all of its step (an ARTIFICIAL_CELL with a BREAKPOINT):
  /// it is called in every step, once all that arrives in it is in the columns below, at the time
  /// of the step's end. It has no membrane: no node and no voltage are read, and `current` is
  /// empty.
  bool is_point_neuron = false;
  /// Of a point neuron: columns, all of states, -1 where it has none. What the engine sets before
  /// every step: the current of stimuli, 0 without any (`injected`, the first of the states, which
  /// users may record) and the sum of the weights that arrive (`input`); with a `negative_input`,
  /// that of the negative ones there and that of the others in `input`. `advance` leaves both sums
  /// 0, `receive` adds a weight to them. After `advance`, `spike` is 1 where the neuron spiked and
  /// 0 elsewhere.
  int injected = -1;
  int input = -1;
  int negative_input = -1;
  int spike = -1;
  bool spikes_at_beginning = false;       ///< its spikes have the time of the step's beginning
  const Diffusion* diffusions = nullptr;  ///< of density mechanisms
  int diffusion_count = 0;

  HILLOCK_FUNCTION constexpr int count() const { return parameters + shared + assigned + states; }
  HILLOCK_FUNCTION constexpr int first_assigned() const { return parameters + shared; }
  HILLOCK_FUNCTION constexpr int first_state() const { return parameters + shared + assigned; }
};

}  // namespace hillock::mechanisms
