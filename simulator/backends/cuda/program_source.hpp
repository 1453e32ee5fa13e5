#pragma once
// The text of a kernel for the mechanisms of some cells.

#include <string>
#include <vector>

#include "simulator/backends/cuda/cells.hpp"

namespace hillock::simulator::cuda {

/// What kernels have to fit into.
struct DeviceLimits {
  int device = 0;
  int capability = 0;    ///< 90
  int shared_bytes = 0;  ///< that a block may have
};

/// How the kernel is started.
struct LaunchShape {
  int team = 1;           ///< threads a cell
  int block_threads = 0;  ///< of whole teams
  bool on_chip = false;   ///< rows lie in shared memory
  int stride = 1;         ///< of element k of a cell
};

/// How cells are solved, for the user.
std::string describe_solver(const LaunchShape& shape);

LaunchShape shape_of(const Signature& signature, const Cells& cells, const DeviceLimits& limits);

struct SourceHeader {
  std::string name, text;
  std::string mechanism;  ///< whose evaluator it is, for messages
};

/// A source for NVRTC, with the headers of its mechanisms; those of Hillock come beside them.
struct ProgramSource {
  std::string text;
  std::vector<SourceHeader> mechanisms;
};

/// The kernels are run_epoch(long long first, long long last) and take_samples(long long step);
/// they read `arrays`, an Arrays<Program> in constant memory.
ProgramSource write_program(const Signature& signature, const Cells& cells,
                            const LaunchShape& shape);

}  // namespace hillock::simulator::cuda
