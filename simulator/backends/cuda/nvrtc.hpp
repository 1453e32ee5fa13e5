#pragma once
// NVRTC, the compiler for devices, which is looked for when it is needed.

#include <string>
#include <vector>

#include "simulator/backends/cuda/program_source.hpp"

namespace hillock::simulator::cuda {

/// Machine code for a device of that compute capability (90). Throws solver::DeviceError when there
/// is no NVRTC, and std::logic_error when it does not accept what Hillock wrote.
std::string compile_for_device(const ProgramSource& source, int capability);

}  // namespace hillock::simulator::cuda
