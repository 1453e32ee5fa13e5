#pragma once
// Outputs of other programs in SONATA's form, read by a confined program.

#include <nanobind/nanobind.h>

namespace hillock::python {

void bind_recorded(nanobind::module_& module);

}  // namespace hillock::python
