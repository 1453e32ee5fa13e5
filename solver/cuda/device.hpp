#pragma once
// Whether there is a GPU to solve on. A build without CUDA answers that there is none.

#include <cstddef>
#include <string>

#include "core/errors/errors.hpp"

namespace hillock::solver {

/// A CUDA call failed, or CUDA was asked for where there is none.
class DeviceError : public Error {
 public:
  /// call: the call's text; place: file:line; why: the runtime's words.
  DeviceError(std::string call, std::string place, const std::string& why);
  const std::string& call() const { return call_; }

 protected:
  explicit DeviceError(const std::string& what) : Error(what) {}

 private:
  std::string call_;
};

/// There is no GPU that can be used, or no compiler for it.
class DeviceUnusable : public DeviceError {
 public:
  explicit DeviceUnusable(const std::string& why) : DeviceError(why) {}
};

/// A GPU has too little memory, or refuses to start a kernel for want of something.
class DeviceExhausted : public DeviceError {
 public:
  explicit DeviceExhausted(const std::string& what) : DeviceError(what) {}
};

/// Number of GPUs that can be used; 0 in a build without CUDA or on a machine without a GPU.
int device_count();

/// Throws DeviceError, in the name of `place`, when there is no such GPU.
void require_device(int device, const char* place);

/// Of a build without CUDA: throws DeviceError, in the name of `place`.
[[noreturn]] void refuse_without_cuda(const char* call, const char* place);

/// "NVIDIA H200, 132 multiprocessors, 139.8 GiB", or why there is none.
std::string describe_device(int device = 0);

/// What predictions need to know of a GPU.
struct DeviceTraits {
  std::string name;
  int multiprocessors = 0;
  double clock_GHz = 0;
  double memory_GBps = 0;        ///< by its clock and width: what a datasheet says
  std::size_t cache_bytes = 0;   ///< L2
  std::size_t shared_bytes = 0;  ///< of a multiprocessor
};

/// Throws DeviceError when there is no such GPU.
DeviceTraits traits_of_device(int device = 0);

}  // namespace hillock::solver
