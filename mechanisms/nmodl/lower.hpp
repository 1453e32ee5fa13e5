#pragma once
// The back end's door: a checked module in, an optimised evaluator in the intermediate form out.

#include "core/mechanism/mechanism_options.hpp"
#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/lower/evaluator_ir.hpp"
#include "mechanisms/nmodl/lower/not_supported.hpp"

namespace hillock::nmodl {

/// tables: of the FUNCTION_TABLEs, with as many axes as these have arguments, or none.
/// use: of TABLE; slope: of currents. Throws NotSupported.
EvaluatorIr lower(const Module& module, const GivenTables& tables = {},
                  TableUse use = TableUse::computed, CurrentSlope slope = CurrentSlope::exact);

/// The mechanism's adjoint (lower/adjoint.hpp), likewise. Throws NotSupported.
EvaluatorIr lower_adjoint(const Module& module, const GivenTables& tables = {},
                          TableUse use = TableUse::computed,
                          CurrentSlope slope = CurrentSlope::exact);

}  // namespace hillock::nmodl
