#pragma once
// From syntax to a checked module: symbols and their roles, bindings, calls, reads and writes.

#include <optional>

#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/findings/findings.hpp"

namespace hillock::nmodl {

/// Every error of `file` goes to `findings`; nothing comes back when there is one.
std::optional<Module> analyse(ast::File file, Findings& findings, Constants constants);

}  // namespace hillock::nmodl
