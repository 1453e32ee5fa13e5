#pragma once
// A file that reads the voltage of another cell by a POINTER, as one side of a gap junction.

#include <string>

#include "mechanisms/nmodl/analyse/module.hpp"

namespace hillock::nmodl {

/// Makes a POINTER of a POINT_PROCESS the RANGE variable that has the voltage on the other side
/// (peer_voltage_name), under that name. Why that cannot be, to go behind the file's name; empty
/// when it is done.
std::string take_for_peer(const std::string& pointer, Module& module);

}  // namespace hillock::nmodl
