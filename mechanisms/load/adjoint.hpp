#pragma once
// The derivatives of a mechanism's step as a mechanism of their own (nmodl/lower/adjoint.hpp says
// what its variables are), made where somebody asks for them.

#include <memory>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/private_cache.hpp"

namespace hillock::mechanisms {

/// Without loops: make_ready() compiles them. Throws UsageError where there is no such derivative,
/// by the mechanism's name; else as load().
std::shared_ptr<const Mechanism> adjoint_of(const Mechanism& mechanism, const Announce& announce);

}  // namespace hillock::mechanisms
