#pragma once
// Compiled kernels, by content: they are kept beside the compiled mechanisms of .mod files.

#include <mutex>
#include <optional>
#include <string>

#include "mechanisms/load/private_cache.hpp"
#include "simulator/backends/device/compiler/program_text.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

/// The compiler for devices does not accept a kernel: a bug of Hillock.
class KernelRefused : public solver::DeviceError {
 public:
  explicit KernelRefused(const std::string& what) : DeviceError(what) {}
};

/// Kernels in the cache: kernel-KEY/nvrtc-VERSION.cubin, with KEY the hash of the source, the
/// headers and the options, the device's compute capability among them. What cannot be kept is
/// compiled in every run, which is announced.
class KernelCache {
 public:
  explicit KernelCache(mechanisms::Announce announce);

  /// Machine code of a source for a device of that compute capability (90): the cache's, or
  /// compiled. Where there is no NVRTC, the cache's by whatever version. Throws KernelRefused,
  /// with the folder in which the source and the compiler's words stay, and solver::DeviceUnusable
  /// when there is no NVRTC and no kernel. Thread-safe.
  std::string code_of(const ProgramSource& source, int capability) const;

 private:
  std::optional<std::string> find(const std::string& folder) const;
  void keep(const std::string& folder, const std::string& code) const;
  [[noreturn]] void refuse(const ProgramSource& source, const std::string& log) const;
  /// What went wrong with the cache: the first time in full, then not again.
  void announce_once(const std::string& problem) const;

  std::optional<mechanisms::PrivateCache> cache_;  ///< nothing where no folder can be had
  mechanisms::Announce announce_;
  mutable std::mutex mutex_;  ///< of what is announced
  mutable bool has_announced_ = false;
};

}  // namespace hillock::simulator::on_device
