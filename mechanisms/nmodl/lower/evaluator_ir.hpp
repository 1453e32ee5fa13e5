#pragma once
// A mechanism as an evaluator in the intermediate form: what the emitters print. Plain data.

#include <optional>
#include <string>
#include <vector>

#include "core/index.hpp"
#include "core/mechanism/function_table.hpp"
#include "mechanisms/nmodl/lower/ir.hpp"
#include "mechanisms/runtime/info.hpp"

namespace hillock::nmodl {

/// A variable of one instance, in the order of MechanismInfo: parameters, shared, assigned, states.
struct InstanceVariable {
  std::string name;
  std::string unit;
  double default_value = 0;
  double minimum = -1e300, maximum = 1e300;
  int variable = -1;     ///< in the program
  bool is_held = false;  ///< as of mechanisms::VariableInfo
};

/// A variable that the instances share with their location; its column is that of `variable`.
struct SharedVariable {
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::reversal;
  std::string ion;     ///< empty: none
  double valence = 0;  ///< 0: the usual one
  int variable = -1;
  bool reads = false, writes = false;
};

/// The condition of a WATCH: it holds where `body` leaves `value` above 0.
struct WatchIr {
  ir::Body body;
  ir::Expr value;
};

/// LONGITUDINAL_DIFFUSION of one state: variables, as mechanisms::Diffusion has them.
struct DiffusionIr {
  int state = -1, coefficient = -1, volume = -1, pivot = -1;
};

/// What NET_RECEIVE takes.
struct ArgumentIr {
  std::string name;
  std::string unit;
};

/// A FUNCTION_TABLE that is called.
struct TableIr {
  std::string name;
  std::size_t arguments = 1;
  std::optional<GivenTable> given;  ///< nothing: 0 everywhere
};

struct EvaluatorIr {
  std::string name;         ///< the mechanism's
  std::string description;  ///< its title
  bool is_point_process = false;
  bool is_electrode = false;
  bool is_artificial = false;
  bool receives_events = false;
  std::string weight_unit;
  int arguments = 0;                          ///< of NET_RECEIVE, the weight first
  std::vector<ArgumentIr> further_arguments;  ///< those behind the weight
  bool keeps_arguments = false;  ///< connections remember their arguments from event to event
  bool sets_voltage = false;     ///< NET_RECEIVE assigns v
  bool sends_events = false;     ///< to itself, or spikes, or by WATCH
  bool starts = false;           ///< INITIAL sends events: `start` stands in place of `initialise`
  bool begins_connections = false;  ///< NET_RECEIVE has an INITIAL block: `connect`
  bool changes_in_current = false;  ///< `current` changes variables that last
  bool is_adjoint = false;          ///< adjoint.hpp
  bool undoes_both = false;         ///< it: `advance` undoes `current`, too
  bool changes_parameters = false;
  bool sets_parameters = false;  ///< these, or INITIAL alone does
  /// What INITIAL alone computes, and steps read.
  std::vector<std::string> begun;
  /// They may become others before the run, as those of a session of NEURON's.
  bool may_begin_otherwise = false;
  /// What steps read before they compute it, where NEURON has one value for all places: there it is
  /// that of the place that was computed last, which may be another one.
  std::vector<std::string> of_last_place;
  int hidden = 0;          ///< of the assigned, the last ones: nobody is to see them
  int hidden_states = 0;   ///< of the states, the last ones: the same
  bool is_linear = false;  ///< MechanismInfo says what these mean
  bool is_constant = false;
  bool keeps_doubles = false;
  bool is_point_neuron = false;
  int injected = -1, input = -1, negative_input = -1, spike = -1;  ///< variables, -1: none
  bool spikes_at_beginning = false;
  std::vector<DiffusionIr> diffusions;
  ir::Program program;
  std::vector<InstanceVariable> parameters, shared, assigned, states;
  std::vector<SharedVariable> couplings;
  std::vector<TableIr> tables;  ///< those that are constants are numbers and not here

  ir::Body initialise, current, advance, receive, start, connect;
  std::vector<WatchIr> watches;  ///< in the order of the text
  /// After `current`: the current that leaves (or, of an electrode, enters) the cell and its
  /// derivative; null is 0.
  ir::Expr i, g;
};

}  // namespace hillock::nmodl
