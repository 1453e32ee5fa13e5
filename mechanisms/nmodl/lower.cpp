#include "mechanisms/nmodl/lower.hpp"

#include <utility>

#include "mechanisms/nmodl/lower/adjoint.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"
#include "mechanisms/nmodl/optimise/optimise.hpp"

namespace hillock::nmodl {

namespace {

/// Units as model files spell them.
EvaluatorIr finished(EvaluatorIr evaluator, const Module& module) {
  for (auto* role :
       {&evaluator.parameters, &evaluator.shared, &evaluator.assigned, &evaluator.states})
    for (InstanceVariable& variable : *role) variable.unit = module.units.for_models(variable.unit);
  evaluator.weight_unit = module.units.for_models(evaluator.weight_unit);
  for (ArgumentIr& argument : evaluator.further_arguments)
    argument.unit = module.units.for_models(argument.unit);
  optimise(evaluator);
  return evaluator;
}

}  // namespace

EvaluatorIr lower(const Module& module, const GivenTables& tables, TableUse use,
                  CurrentSlope slope) {
  return finished(Lowering(module, tables, use, slope).run(), module);
}

EvaluatorIr lower_adjoint(const Module& module, const GivenTables& tables, TableUse use,
                          CurrentSlope slope) {
  return finished(adjoint_of(Lowering(module, tables, use, slope).run()), module);
}

}  // namespace hillock::nmodl
