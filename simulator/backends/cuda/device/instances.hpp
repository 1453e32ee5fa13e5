#pragma once
// One instance of a mechanism, loaded from device memory and stored again: what the loops of
// mechanisms/cpu_kernels.hpp do, for one thread that owns the instance.

#include "mechanisms/evaluator.hpp"
#include "simulator/backends/cuda/device/views.hpp"

namespace hillock::simulator::cuda {

using mechanisms::Coupling;
using mechanisms::SharedQuantity;

template <class E>
using Variables = typename E::template Variables<double>;

template <class E>
__device__ __forceinline__ double* array_of(Variables<E>& variables) {
  return reinterpret_cast<double*>(&variables);
}

/// A number that a lambda's body may use as a constant.
template <int k>
struct Constant {
  static constexpr int value = k;
};

/// Calls body(Constant<first>{}) … body(Constant<last - 1>{}).
template <int first, int last, class Body>
__device__ __forceinline__ void for_constants(const Body& body) {
  if constexpr (first < last) {
    body(Constant<first>{});
    for_constants<first + 1, last>(body);
  }
}

/// Calls body(k, Coupling) for every coupling, both constants.
template <class E, class Body>
__device__ __forceinline__ void for_couplings(const Body& body) {
  for_constants<0, E::info.coupling_count>(body);
}

/// Where an instance is: its element of the columns, and its row among those of all cells.
struct InstanceSlot {
  unsigned long long element;
  unsigned long long row;
};

/// Stands in POINTERs for the voltage of the instance's row, which has no address: it may lie in
/// shared memory.
__device__ __forceinline__ bool is_voltage(const double* address) {
  return reinterpret_cast<unsigned long long>(address) == voltage_address;
}

/// Where the variable of coupling k lives if not with the instance, or null.
template <class E, int k>
__device__ __forceinline__ double* outside(const BlockArrays<E>& block, InstanceSlot at) {
  constexpr Coupling coupling = E::couplings[k];
  if constexpr (coupling.quantity == SharedQuantity::pointer)
    return block.pointed[k] ? block.pointed[k][at.element] : nullptr;
  else if constexpr (*coupling.ion != 0)
    return block.shared[k] ? block.shared[k] + at.row : nullptr;
  else
    return nullptr;
}

template <class E>
__device__ __forceinline__ void load(const BlockArrays<E>& block, InstanceSlot at, double v_mV,
                                     Variables<E>& x) {
#pragma unroll
  for (int c = 0; c < E::info.count(); ++c)
    array_of<E>(x)[c] = block.columns[c].data[at.element & block.columns[c].mask];
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (coupling.column < E::info.first_assigned())
      if (const double* there = outside<E, k>(block, at))
        array_of<E>(x)[coupling.column] = is_voltage(there) ? v_mV : *there;
  });
}

/// Stores variables [first, last); what is one number for all instances never changes.
template <class E>
__device__ __forceinline__ void store(const BlockArrays<E>& block, InstanceSlot at, Variables<E>& x,
                                      int first, int last) {
#pragma unroll
  for (int c = 0; c < E::info.count(); ++c)
    if (c >= first && c < last && block.columns[c].mask)
      block.columns[c].data[at.element] = array_of<E>(x)[c];
}

/// Stores what a mechanism's location keeps and `stored`, a constant function of a Coupling, names.
template <class E, class Stored>
__device__ __forceinline__ void store_outside(const BlockArrays<E>& block, InstanceSlot at,
                                              Variables<E>& x, const Stored&) {
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (Stored{}(coupling))
      if (double* there = outside<E, k>(block, at); there && !is_voltage(there))
        *there = array_of<E>(x)[coupling.column];
  });
}

/// What `current` and `advance` leave with the location: all that is set, but no currents.
template <class E>
__device__ __forceinline__ void store_outside(const BlockArrays<E>& block, InstanceSlot at,
                                              Variables<E>& x) {
  store_outside<E>(block, at, x, [](const Coupling& coupling) { return coupling.sets(); });
}

/// Calls body(current in mA/cm2, where the ion's current of its row is kept) for each ion whose
/// current the mechanism makes.
template <class E, class Body>
__device__ __forceinline__ void for_ion_currents(const BlockArrays<E>& block, InstanceSlot at,
                                                 Variables<E>& x, const Body& body) {
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (coupling.adds()) {
      if (!block.shared[k]) return;
      double current = array_of<E>(x)[coupling.column];
      if constexpr (E::info.is_point_process) current = current * block.area_factors[at.element];
      body(current, block.shared[k]);
    }
  });
}

/// The first variable that `advance` may change.
template <class E>
inline constexpr int first_changed = E::info.changes_parameters ? 0 : E::info.first_state();

/// Whether a mechanism has something to integrate: states, or what its location keeps.
template <class E>
__device__ constexpr bool advances() {
  for (int k = 0; k < E::info.coupling_count; ++k)
    if (E::couplings[k].sets()) return true;
  return E::info.states > 0 || E::info.changes_parameters;
}

}  // namespace hillock::simulator::cuda
