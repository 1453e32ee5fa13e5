#pragma once
// An array on the current device.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solver/device/runtime.hpp"

namespace hillock::device {

/// Given back with its owner.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(take(size * sizeof(T)));
  }
  explicit Array(std::span<const T> host) : Array(host.size()) { upload(host); }
  explicit Array(const std::vector<T>& host) : Array(std::span<const T>(host)) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { give_back(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void upload(std::span<const T> host) {
    if (!host.empty()) copy(data_, host.data(), host.size_bytes(), Way::in);
  }
  void download(std::span<T> host) const {
    if (!host.empty()) copy(host.data(), data_, host.size_bytes(), Way::out);
  }
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    download(host);
    return host;
  }

 private:
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hillock::device
