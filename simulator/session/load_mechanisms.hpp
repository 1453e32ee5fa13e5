#pragma once
// Makes mechanisms of .mod files ready to run, and says why where that takes a compiler that is
// missing.

#include <vector>

#include "core/errors/place.hpp"
#include "mechanisms/load/loader.hpp"

namespace hillock::session {

/// As mechanisms::load(), but throws InvalidModel instead of NoCompiler, at the place where the
/// first that has to be compiled is named.
std::vector<mechanisms::LoadedMechanism> load_mechanisms(
    const std::vector<mechanisms::ModFile>& mods, const std::vector<Place>& named_at,
    mechanisms::Arithmetic arithmetic, const mechanisms::Announce& announce);

}  // namespace hillock::session
