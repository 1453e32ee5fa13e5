#pragma once
// How strong something must be so that cells spike.

#include <nanobind/nanobind.h>

namespace hillock::python {

/// Adds find_thresholds() to the module.
void bind_thresholds(nanobind::module_& module);

}  // namespace hillock::python
