#pragma once
// From what a mechanism says of itself to what `io` may know of it.

#include "core/mechanism/signature.hpp"
#include "mechanisms/runtime/info.hpp"

namespace hillock::mechanisms {

MechanismSignature signature_of(const MechanismInfo& info);

}  // namespace hillock::mechanisms
