#pragma once
// Lists whose numbers are not set before they are written: whoever writes first touches the memory.

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace hillock {

/// Leaves new elements of a plain type as they come; resize() and sizes in constructors set none.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) noexcept {}  // NOLINT: allocators convert
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace hillock
