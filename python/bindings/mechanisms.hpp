#pragma once
// What Python hears of mechanisms.

#include <nanobind/nanobind.h>

namespace hillock::python {

void bind_mechanisms(nanobind::module_& module);

}  // namespace hillock::python
