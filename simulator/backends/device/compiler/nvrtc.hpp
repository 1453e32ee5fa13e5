#pragma once
// NVRTC, the compiler for devices, which is looked for when it is needed.

#include <optional>
#include <string>
#include <vector>

#include "simulator/backends/device/compiler/program_text.hpp"

namespace hillock::simulator::on_device {

/// What became of a source.
struct NvrtcResult {
  std::string code;  ///< for the device; empty when the compiler did not accept the source
  std::string log;   ///< the compiler's words
};

/// "13.0"; nothing when there is no NVRTC. Loads it, which takes 15 ms, and more from a slow disk.
std::optional<std::string> nvrtc_version();

/// What a source is compiled with for a device of that compute capability (90).
std::vector<std::string> nvrtc_options(const ProgramSource& source, int capability);

/// further: options beside those. Throws solver::DeviceUnusable when there is no NVRTC.
/// Thread-safe.
NvrtcResult compile_for_device(const ProgramSource& source, int capability,
                               const std::vector<std::string>& further = {});

}  // namespace hillock::simulator::on_device
