#pragma once
// Makes an evaluator fast before it is printed: what is computed twice is computed once,
// exponentials of one argument become powers of one, and what a run does not change is computed by
// `initialise` into variables that nobody sees. Says whether it is linear or constant.

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"

namespace hillock::nmodl {

void optimise(EvaluatorIr& evaluator);

}  // namespace hillock::nmodl
