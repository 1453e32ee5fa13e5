#pragma once
// What is thrown becomes an exception of the package.

#include <exception>

namespace hillock::python {

/// Sets Python's exception, with the words that the command prints.
void raise(const std::exception_ptr& failure);

}  // namespace hillock::python
