#pragma once
// What a step does with one instance, whatever engine has it. Includes evaluator.hpp alone, so that
// NVRTC can compile it.

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// The first variable that `advance` may change: of a point neuron, not what stimuli set.
template <class E>
inline constexpr int first_changed = E::info.changes_parameters
                                         ? 0
                                         : E::info.first_state() + (E::info.injected >= 0 ? 1 : 0);

template <class E>
HILLOCK_FUNCTION constexpr bool sets_shared() {
  for (int k = 0; k < E::info.coupling_count; ++k)
    if (E::couplings[k].sets()) return true;
  return false;
}
/// Whether a mechanism has something to integrate: states, or what its location keeps.
template <class E>
inline constexpr bool advances = E::info.states > 0 || E::info.changes_parameters ||
                                 sets_shared<E>();

/// What an instance adds to its row of (C/dt + G) v' = C/dt v + g v - i.
template <class V>
struct RowFlow {
  V g, source;
};
/// v: where the current was taken. area(): of a density mechanism, what makes its flow that of the
/// compartment.
template <class E, class V, class Area>
HILLOCK_FUNCTION RowFlow<V> row_flow(Current<V> flow, const V& v, const Area& area) {
  if constexpr (E::info.is_electrode) flow = {-flow.i, -flow.g};
  RowFlow<V> row{flow.g, fma(flow.g, v, -flow.i)};
  if constexpr (!E::info.is_point_process) {
    const V factor = area();
    row = {row.g * factor, row.source * factor};
  }
  return row;
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
