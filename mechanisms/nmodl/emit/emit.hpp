#pragma once
// Evaluators as C++: what mechanisms/evaluator.hpp describes, for the host and for devices.

#include <string>

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"
#include "mechanisms/runtime/info.hpp"

namespace hillock::nmodl {

/// A header that defines the evaluator, with what it includes.
std::string emit_header(const EvaluatorIr& evaluator, const std::string& struct_name);

/// The members of an evaluator that say what the mechanism is: variables, couplings, info.
std::string info_text(const mechanisms::MechanismInfo& info);

}  // namespace hillock::nmodl
