#pragma once
// Vectors as arrays of numpy.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace hillock::python {

/// An array that owns the numbers.
template <class Number>
nanobind::object array_of(std::vector<Number> numbers) {
  auto* const kept = new std::vector<Number>(std::move(numbers));
  const nanobind::capsule owner(
      kept, [](void* data) noexcept { delete static_cast<std::vector<Number>*>(data); });
  const std::size_t shape[] = {kept->size()};
  return nanobind::ndarray<nanobind::numpy, Number>(kept->data(), 1, shape, owner).cast();
}

/// So many equal numbers, which share their place and cannot be changed.
template <class Number>
nanobind::object array_of_one(Number number, std::size_t size) {
  auto* const kept = new Number(number);
  const nanobind::capsule owner(kept,
                                [](void* data) noexcept { delete static_cast<Number*>(data); });
  const std::size_t shape[] = {size};
  const std::int64_t strides[] = {0};
  return nanobind::ndarray<nanobind::numpy, const Number>(kept, 1, shape, owner, strides).cast();
}

}  // namespace hillock::python
