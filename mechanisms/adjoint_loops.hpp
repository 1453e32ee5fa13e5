#pragma once
// The loops of an adjoint: cpu_kernels.hpp has those of other mechanisms.

#include <utility>

#include "mechanisms/adjoint_block.hpp"
#include "mechanisms/cpu_kernels.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// Calls body(0) to body(count - 1), each by itself: loops over columns keep some in memory.
template <int count, class Body>
inline void for_each_number(const Body& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (body(k), ...);
  }
  (std::make_integer_sequence<int, count>());
}

/// Doubles of the rows of instances side by side.
template <class V>
inline V gather_rows(const int* rows, const double* nodes) {
  constexpr int n = lanes_of<V>;
  if (lie_together<n>(rows)) return load<V>(nodes + rows[0]);
  return gather<V>(nodes, rows);
}
template <class V>
inline void scatter_rows(const int* rows, double* nodes, const V& value) {
  constexpr int n = lanes_of<V>;
  if (lie_together<n>(rows)) return store<V>(nodes + rows[0], value);
  scatter<V>(nodes, rows, value);
}

/// What an array has at the rows of so many instances; of a single one it is that in all lanes.
template <class V>
inline V at_rows(const int* nodes, std::size_t instances, const double* numbers) {
  if (lanes_of<V> == 1 || instances == 1) return V{} + numbers[nodes[0]];
  return gather_rows<V>(nodes, numbers);
}

/// Adds to rows what the first of these instances have. Returns 0, or no number where some is none.
template <class V>
inline V add_to_rows(const int* nodes, std::size_t instances, double* numbers, const V& more) {
  if (instances >= lanes_of<V>) {
    scatter_rows(nodes, numbers, V(gather_rows<V>(nodes, numbers) + more));
    return more - more;
  }
  double each[lanes_of<V>];
  store(each, more);
  double sum = 0;
  for (std::size_t l = 0; l < instances; ++l) {
    numbers[nodes[l]] += each[l];
    sum += each[l] - each[l];
  }
  return V{} + sum;
}

/// Undoes `advance`, or `current`, of all instances.
template <class E, int lanes, bool is_advance>
HILLOCK_KERNEL void undo(const AdjointBlock& all, const KernelTime& time, const double* v) {
  using V = Part<lanes>;
  const AdjointBlock block = all;  // a copy: no store can change it
  const AdjointRows rows = block.rows ? *block.rows : AdjointRows{};
  constexpr int of_i = E::info.first_state(), of_g = of_i + 1;  // the first of its states
  V not_finite{};
  for (std::size_t i = 0; i < block.last(); i += lanes_of<V>) {
    VariablesOf<E, V> variables;
    V* const values = array_of<E, V>(variables);
    const auto place = [&](int c) { return block.places[c] + (i & block.masks[c]); };
    const auto put = [&]<int count>(const int(&columns)[count]) {
      for_each_number<count>([&](int k) {
        if (columns[k] >= 0) store(place(columns[k]), values[columns[k]]);
      });
    };
    const int* const nodes = block.nodes + i;
    const std::size_t instances = block.last() - i;
    const auto at = at_time(at_rows<V>(nodes, instances, v), time);
    if constexpr (!E::info.is_point_process)
      if (block.rows) {
        const V by = load<V>(block.into_rows + i) * at_rows<V>(nodes, instances, rows.by_rhs);
        store(place(of_i), V(-by));
        store(place(of_g), V(by * at_rows<V>(nodes, instances, rows.past)));
      }
    // No branch comes behind it: columns are then read where they are needed.
    for_each_number<E::info.count()>([&](int c) { values[c] = load<V>(place(c)); });
    if constexpr (is_advance) {
      E::template advance<V>(variables, at);
      put(E::set_by_advance);
    } else {
      E::template current<V>(variables, at);
      put(E::set_by_current);
    }
    if constexpr (!E::info.is_point_process)
      if (block.rows)
        not_finite = not_finite + add_to_rows<V>(nodes, instances, rows.by_v, variables._voltage_);
  }
  if (true_lanes(not_finite != 0.0)) block.rows->is_finite = false;
}

template <class E, int lanes>
void undo_turn(const InstanceBlock& given, unsigned asked, const KernelTime& end,
               const KernelTime& now, const double* v, double*, double*) {
  const auto& block = static_cast<const AdjointBlock&>(given);
  if (asked & asks::advance) undo<E, lanes, true>(block, end, v);
  if (asked & asks::flow) undo<E, lanes, false>(block, now, v);
}

template <class E, int lanes>
constexpr CpuKernels adjoint_kernels() {
  CpuKernels kernels;
  kernels.lanes = lanes;
  kernels.initialise = initialise<E>;
  kernels.turn = undo_turn<E, how<E, lanes, double>()>;
  if constexpr (E::info.receives_events) kernels.receive = apply<E, compiled<lanes>, E::receive>;
  return kernels;
}

}  // namespace loops

/// Of one lane, whose loops take an AdjointBlock.
template <class E, int lanes>
constexpr KernelSet adjoint_kernel_set() {
  KernelSet set;
  set.of(lanes) = loops::adjoint_kernels<E, lanes>();
  return set;
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
