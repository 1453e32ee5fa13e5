#pragma once
// The derivative of a mechanism's step, backwards: a mechanism of its own, whose loops are made as
// those of any other (docs/decisions/0058).

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"

namespace hillock::nmodl {

/// The adjoint of a mechanism sees its variables under their names, as they were before what it
/// undoes; none changes. Its states are derivatives of a number that comes of the run, by
///   _current, _conductance   what `current` returned
///   _voltage                 the voltage that was seen: every call sets it
///   _weight                  the event's weight: `receive` adds to it
///   _by_NAME                 a variable. Before a call it is that of what the variable was
///                            afterwards, after it that of what it was before; of a written
///                            ion's current that of what gathers it, which stays. Of those by
///                            which nothing changes there is none.
/// `current`, `advance` and `receive` undo the mechanism's functions of these names. Where
/// EvaluatorIr::undoes_both, `advance` first undoes the `current` behind it, too: _current,
/// _conductance and currents of ions are then that call's, and 0 where there was none. What a
/// mechanism does to nobody but itself, within one call, has derivatives that stay 0.
///
/// forward: before optimisation. Throws NotSupported where a mechanism does what is not undone.
EvaluatorIr adjoint_of(EvaluatorIr forward);

}  // namespace hillock::nmodl
