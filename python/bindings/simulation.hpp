#pragma once
// Simulations: whole runs, and runs in parts.

#include <nanobind/nanobind.h>

namespace hillock::python {

/// Adds class Simulation to the module.
void bind_simulation(nanobind::module_& module);

}  // namespace hillock::python
