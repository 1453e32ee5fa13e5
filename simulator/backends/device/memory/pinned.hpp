#pragma once
// Host memory that a device reads and writes by itself.

#include <cstddef>
#include <utility>

#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(device::take_of_host(size * sizeof(T)));
  }
  PinnedArray(PinnedArray&& other) noexcept { swap(other); }
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PinnedArray() { device::give_back_of_host(data_); }

  /// The same address on host and device.
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  /// Room for so many; what was there is lost where it grows. Nothing may be using it.
  void reserve(std::size_t size) {
    if (size > size_) *this = PinnedArray(size + size / 2);
  }

 private:
  void swap(PinnedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hillock::simulator::on_device
