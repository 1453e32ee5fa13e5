#pragma once
// Memory for packs of doubles (core/simd/pack.hpp), which never straddle a cache line in it.

#include <cstddef>
#include <new>
#include <vector>

namespace hillock {

/// Memory on cache-line borders, so that a pack never straddles two lines.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// Doubles in lanes: element i of lane l at [i·lanes + l].
using LaneArray = std::vector<double, CacheLineAllocator<double>>;

}  // namespace hillock
