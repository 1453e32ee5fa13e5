#pragma once
// A mechanism as an evaluator in the intermediate form: what the emitters print. Plain data.

#include <string>
#include <vector>

#include "core/signature.hpp"
#include "mechanisms/nmodl/ir.hpp"

namespace hillock::nmodl {

/// A variable of one instance, in the order of MechanismInfo: parameters, ions, assigned, states.
struct InstanceVariable {
  std::string name;
  std::string unit;
  double default_value = 0;
  double minimum = -1e300, maximum = 1e300;
  int variable = -1;  ///< in the program
};

struct EvaluatorIr {
  std::string name;         ///< the mechanism's
  std::string description;  ///< its title
  bool is_point_process = false;
  bool is_electrode = false;
  bool receives_events = false;
  std::string weight_unit;
  ir::Program program;
  std::vector<InstanceVariable> parameters, ions, assigned, states;
  std::vector<IonUse> ion_uses;

  ir::Body initialise, current, advance, receive;
  /// After `current`: the current that leaves (or, of an electrode, enters) the cell and its
  /// derivative; null is 0.
  ir::Expr i, g;
};

/// Which of the local variables are the same in every lane: assigned under no condition that varies
/// and from nothing but numbers, time, dt, celsius and such locals. [variable]
std::vector<bool> uniform_variables(const EvaluatorIr& evaluator);

/// A C++ header that defines the evaluator as `name` asks (mechanisms/evaluator.hpp says what
/// that is), for the host and for devices.
std::string emit_evaluator(const EvaluatorIr& evaluator, const std::string& struct_name);

}  // namespace hillock::nmodl
