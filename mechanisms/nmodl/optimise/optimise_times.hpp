#pragma once
// What of a mechanism does not fit into a float.

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"

namespace hillock::nmodl {

/// MechanismInfo::keeps_doubles: it draws random numbers, reads the time while it is integrated,
/// sends itself events, its variables keep times, or its text has numbers beyond a float's range or
/// whole ones that no float is. A duration, as the difference of two times, is a number like others,
/// and times in the arguments of a connection are doubles anyway.
bool keeps_doubles(const EvaluatorIr& evaluator);

}  // namespace hillock::nmodl
