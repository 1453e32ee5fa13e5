#pragma once
// Models: reading them, and what is in them.

#include <nanobind/nanobind.h>

namespace hillock::python {

/// Adds class Model and load() to the module.
void bind_model(nanobind::module_& module);

}  // namespace hillock::python
