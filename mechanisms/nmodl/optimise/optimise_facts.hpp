#pragma once
// What a mechanism's formulas say of it: is_linear and is_constant of MechanismInfo.

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"

namespace hillock::nmodl {

bool is_linear(const EvaluatorIr& evaluator);
bool is_constant(const EvaluatorIr& evaluator);

}  // namespace hillock::nmodl
