#pragma once
// Where the variables of an evaluator's instances are: in the columns of their block, with their
// location, behind a pointer.

#include <cstddef>

#include "mechanisms/evaluator.hpp"
#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// A number of lanes that is known at run time alone: what such a loop does, it does lane by lane.
inline constexpr int any = 0;

template <class E, class V>
using VariablesOf = typename E::template Variables<V>;

/// The variables as an array: an evaluator's struct holds nothing but members of type V.
template <class E, class V>
inline V* array_of(VariablesOf<E, V>& variables) {
  static_assert(E::info.count() == 0 || sizeof(VariablesOf<E, V>) == E::info.count() * sizeof(V));
  return reinterpret_cast<V*>(&variables);
}

/// Where the column of variable c is.
template <class E>
inline double* column_of(const InstanceBlock& block, int c, std::size_t lanes) {
  const int state = c - E::info.first_state();
  if (state >= 0) return block.columns + static_cast<std::size_t>(state) * block.count * lanes;
  const std::size_t stored = block.uniform ? 1 : block.count;
  return block.columns + (static_cast<std::size_t>(E::info.states) * block.count +
                          static_cast<std::size_t>(c) * stored) *
                             lanes;
}

/// Calls body(k) for every coupling of which `which` is true.
template <class E, class Which, class Body>
inline void for_each_coupling(const InstanceBlock& block, const Which& which, const Body& body) {
  if constexpr (E::info.coupling_count > 0) {
    if (!block.shared) return;
#pragma GCC unroll 32
    for (int k = 0; k < E::info.coupling_count; ++k)
      if (which(E::couplings[k])) body(k);
  }
}

/// The address of what an instance's pointer stands for.
inline double& pointed(const InstanceBlock& block, int coupling, std::size_t at) {
  return *block.pointers[coupling][at];
}

template <class V>
inline Instant<V> at_time(const V& v, const KernelTime& time) {
  using N = Number<V>;
  return {v,
          time.time_ms,
          static_cast<N>(time.dt_ms),
          static_cast<N>(time.celsius),
          static_cast<N>(time.implicit_dt_ms),
          time.given};
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
