#pragma once
// Laws of mechanisms that a model brings, for numbers with a slope.

#include <filesystem>

#include "tests/simulator/reference/laws.hpp"
#include "tests/simulator/tangents/dual.hpp"

namespace hillock::simulator::reference {

/// In which folder they are kept when they have been compiled.
void keep_own_laws(const std::filesystem::path& folder);

template <>
const Law<Dual>& law_of(const mechanisms::Mechanism& mechanism);

}  // namespace hillock::simulator::reference
