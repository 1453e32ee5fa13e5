#pragma once
// Owning device memory, and the check of every CUDA call. Included only where a build has CUDA.

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/cuda/device.hpp"

namespace hillock::solver {

/// Throws DeviceExhausted or DeviceError.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file,
                                   int line);

inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess) throw_cuda_error(status, call, file, line);
}

/// Throws DeviceError with the call's text and place when the call fails, and DeviceExhausted when
/// it fails for want of memory.
#define HILLOCK_CUDA(call) ::hillock::solver::check_cuda((call), #call, __FILE__, __LINE__)

/// Memory on the current device, for cudaFree(). Throws DeviceExhausted with how much there is.
void* allocate_on_device(std::size_t bytes);

/// An array on the current device; freed with its owner.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(allocate_on_device(size * sizeof(T)));
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { upload(host); }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void upload(std::span<const T> host) {
    if (!host.empty())
      HILLOCK_CUDA(cudaMemcpy(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  }
  void download(std::span<T> host) const {
    if (!host.empty())
      HILLOCK_CUDA(cudaMemcpy(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost));
  }
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    download(host);
    return host;
  }

 private:
  void swap(DeviceArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hillock::solver
