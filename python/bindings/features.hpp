#pragma once
// Features of recorded voltages.

#include <nanobind/nanobind.h>

namespace hillock::python {

void bind_features(nanobind::module_& module);

}  // namespace hillock::python
