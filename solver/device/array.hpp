#pragma once
// Arrays in memory of the current device, and what they share with others.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solver/device/runtime.hpp"

namespace hillock::device {

/// What take_bytes() gives, given back with its owner.
template <class T, void* take_bytes(std::size_t), void give_bytes_back(void*) noexcept>
class OwnedArray {
 public:
  OwnedArray() = default;
  explicit OwnedArray(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(take_bytes(size * sizeof(T)));
  }
  OwnedArray(OwnedArray&& other) noexcept { swap(other); }
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~OwnedArray() { give_bytes_back(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(OwnedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
class Array : public OwnedArray<T, take, give_back> {
 public:
  using OwnedArray<T, take, give_back>::OwnedArray;
  explicit Array(std::span<const T> host) : Array(host.size()) { upload(host); }
  explicit Array(const std::vector<T>& host) : Array(std::span<const T>(host)) {}

  void upload(std::span<const T> host) {
    if (!host.empty()) copy(this->data(), host.data(), host.size_bytes(), Way::in);
  }
  void download(std::span<T> host) const {
    if (!host.empty()) copy(host.data(), this->data(), host.size_bytes(), Way::out);
  }
  std::vector<T> to_host() const {
    std::vector<T> host(this->size());
    download(host);
    return host;
  }
};

}  // namespace hillock::device
