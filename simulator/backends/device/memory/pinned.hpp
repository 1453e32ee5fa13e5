#pragma once
// Host memory that a device reads and writes by itself, at the same address on both.

#include <cstddef>

#include "solver/device/array.hpp"

namespace hillock::simulator::on_device {

template <class T>
class PinnedArray : public device::OwnedArray<T, device::take_of_host, device::give_back_of_host> {
 public:
  using device::OwnedArray<T, device::take_of_host, device::give_back_of_host>::OwnedArray;

  T& operator[](std::size_t i) { return this->data()[i]; }
  const T& operator[](std::size_t i) const { return this->data()[i]; }
  /// Room for so many; what was there is lost where it grows. Nothing may be using it.
  void reserve(std::size_t size) {
    if (size > this->size()) *this = PinnedArray(size + size / 2);
  }
};

}  // namespace hillock::simulator::on_device
