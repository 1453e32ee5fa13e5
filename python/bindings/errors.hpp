#pragma once
// What is thrown becomes an exception of the package.

#include <nanobind/nanobind.h>

#include <exception>

#include "core/errors/diagnostics.hpp"

namespace hillock::python {

/// (severity, file, line, column, message), which hillock._errors.Problem is made with.
nanobind::tuple problem_of(const Diagnostic& found);

/// Sets Python's exception, with the words that the command prints.
void raise(const std::exception_ptr& failure);

}  // namespace hillock::python
