#pragma once
// The text of a kernel for the mechanisms of some cells.

#include <string>
#include <vector>

#include "simulator/backends/cuda/launch_shape.hpp"

namespace hillock::simulator::cuda {

struct SourceHeader {
  std::string name, text;
  std::string mechanism;  ///< whose evaluator it is, for messages
};

/// A source for NVRTC, with the headers of its mechanisms; those of Hillock come beside them.
struct ProgramSource {
  std::string text;
  std::vector<SourceHeader> mechanisms;
  bool has_floats = false;
};

/// The kernels are run_epoch(Arrays<Program>, long long first, long long last, EpochEvents) and
/// take_samples(Arrays<Program>, long long step).
ProgramSource write_program(const Signature& signature, const Cells& cells,
                            const LaunchShape& shape, models::Integrator integrator);

}  // namespace hillock::simulator::cuda
