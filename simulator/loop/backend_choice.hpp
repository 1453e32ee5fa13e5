#pragma once
// Which backend a run takes, and why.

#include <string>

#include "core/errors/errors.hpp"
#include "simulator/loop/simulation.hpp"

namespace hillock::simulator {

/// What a user asks for. automatic: a GPU where one can be used, else the CPU.
enum class BackendWish { automatic, cpu, cuda };

struct BackendChoice {
  Backend backend = Backend::cpu;
  std::string device;       ///< "NVIDIA H200, 132 multiprocessors, 139 GiB"; empty on the CPU
  std::string why;          ///< "asked for", "no GPU: there is no NVIDIA driver on this machine"
  bool is_expected = true;  ///< false: a GPU is there and is not used
};

/// Looks for a GPU unless the CPU is asked for. Throws UsageError when a GPU is asked for and
/// cannot be used.
BackendChoice choose_backend(BackendWish wish);

/// What compiles a GPU's kernels: "NVRTC 13.0"; "none, ..." says why nothing does.
std::string describe_kernel_compiler();

}  // namespace hillock::simulator
