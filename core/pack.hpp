#pragma once
// Packs of doubles, one per lane: the value types of the CPU loops. Host only.
// Lanes never mix, and every lane does the arithmetic that a plain double would.

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace hillock {

typedef double Pack4 __attribute__((vector_size(32)));
typedef double Pack8 __attribute__((vector_size(64)));

/// The pack of a number of lanes: double for 1.
template <int lanes>
struct PackOf;
template <>
struct PackOf<1> {
  using type = double;
};
template <>
struct PackOf<4> {
  using type = Pack4;
};
template <>
struct PackOf<8> {
  using type = Pack8;
};

/// Lanes of a value type.
template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(double));

template <class V>
inline V load(const double* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}

template <class V>
inline void store(double* to, const V& value) {
  std::memcpy(to, &value, sizeof(V));
}

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
