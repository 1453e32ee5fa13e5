#pragma once
// From a checked module to an evaluator in the intermediate form: inlining, unrolling, integration
// methods, the exact derivative of the current.

#include "core/errors.hpp"
#include "core/function_table.hpp"
#include "mechanisms/nmodl/evaluator_ir.hpp"
#include "mechanisms/nmodl/module.hpp"

namespace hillock::nmodl {

/// A construct that is understood but cannot be emitted yet.
class NotSupported : public Error {
 public:
  NotSupported(Position position, const std::string& what);
  Position position() const { return position_; }

 private:
  Position position_;
};

/// tables: of the FUNCTION_TABLEs, with as many axes as these have arguments, or none.
/// Throws NotSupported.
EvaluatorIr lower(const Module& module, const GivenTables& tables = {});

}  // namespace hillock::nmodl
