#pragma once
// The pages that show a model, or a run.

#include <nanobind/nanobind.h>

namespace hillock::python {

void bind_pages(nanobind::module_& module);

}  // namespace hillock::python
