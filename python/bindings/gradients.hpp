#pragma once
// Runs that are gone back over, for derivatives.

#include <nanobind/nanobind.h>

namespace hillock::python {

/// Adds DerivedRun to the module.
void bind_gradients(nanobind::module_& module);

}  // namespace hillock::python
