#pragma once
// Where the loops of a mechanism from a .mod file lie, of which some or none may be there yet.

#include <optional>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/mod_file.hpp"
#include "mechanisms/load/private_cache.hpp"

namespace hillock::mechanisms {

struct OwnLoops {
  ModFile mod;
  std::optional<Compiler> compiler;
  Announce announce;
  KernelSet of_doubles = {}, mixed = {};  ///< for the active instruction set
};

}  // namespace hillock::mechanisms
