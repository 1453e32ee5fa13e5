#pragma once
// The CPU loops over a mechanism's instances: written once, instantiated for every evaluator, number
// of lanes and instruction set (core/isa.hpp).

#include <cstddef>
#include <cstring>

#include "core/pack.hpp"
#include "mechanisms/evaluator.hpp"
#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

// One function with everything in it: no call is left between an instance's load and its store.
#define HILLOCK_KERNEL __attribute__((flatten))

namespace loops {

template <class E, class V>
using VariablesOf = typename E::template Variables<V>;

/// The variables as an array: an evaluator's struct holds nothing but members of type V.
template <class E, class V>
inline V* array_of(VariablesOf<E, V>& variables) {
  static_assert(sizeof(VariablesOf<E, V>) == E::info.count() * sizeof(V));
  return reinterpret_cast<V*>(&variables);
}

/// Loads variables [first, last) of an instance.
template <class E, class V>
inline void load_columns(const InstanceBlock& block, std::size_t i, int first, int last,
                         VariablesOf<E, V>& variables) {
  constexpr int lanes = lanes_of<V>;
#pragma GCC unroll 32
  for (int c = first; c < last; ++c)
    array_of<E, V>(variables)[c] =
        load<V>(block.columns + (static_cast<std::size_t>(c) * block.count + i) * lanes);
}

/// The variables of one instance after the other. `uniform`: all but the states are those of
/// instance 0, loaded once.
template <class E, class V, bool uniform>
class Instances {
 public:
  explicit Instances(const InstanceBlock& block) : block_(block) {
    if constexpr (uniform) load_columns<E, V>(block, 0, 0, E::info.first_state(), shared_);
  }

  VariablesOf<E, V> load(std::size_t i) const {
    VariablesOf<E, V> variables = shared_;
    load_columns<E, V>(block_, i, uniform ? E::info.first_state() : 0, E::info.count(), variables);
    return variables;
  }

 private:
  const InstanceBlock& block_;
  VariablesOf<E, V> shared_{};
};

/// Stores variables [first, last) of an instance.
template <class E, class V>
inline void store_instance(const InstanceBlock& block, std::size_t i,
                           VariablesOf<E, V>& variables, int first, int last) {
  constexpr int lanes = lanes_of<V>;
#pragma GCC unroll 32
  for (int c = first; c < last; ++c)
    store(block.columns + (static_cast<std::size_t>(c) * block.count + i) * lanes,
          array_of<E, V>(variables)[c]);
}

/// The row of an instance whose lanes share one.
template <class E, int lanes>
inline std::size_t row_of(const InstanceBlock& block, std::size_t i) {
  return static_cast<std::size_t>(block.nodes[E::info.is_point_process ? i * lanes : i]) * lanes;
}

template <class E>
inline bool shares_rows(const InstanceBlock& block) {
  return !E::info.is_point_process || block.aligned;
}

template <class E, class V>
inline V gather_node(const InstanceBlock& block, std::size_t i, const double* v) {
  constexpr int lanes = lanes_of<V>;
  if (shares_rows<E>(block)) return load<V>(v + row_of<E, lanes>(block, i));
  double values[lanes];
  for (int l = 0; l < lanes; ++l)
    values[l] = v[static_cast<std::size_t>(block.nodes[i * lanes + l]) * lanes + l];
  return load<V>(values);
}

/// Adds an instance's current to its rows.
template <class E, class V>
inline void add_flow(const InstanceBlock& block, std::size_t i, const V& v_here, Current<V> flow,
                     double* diagonal, double* rhs) {
  constexpr int lanes = lanes_of<V>;
  if constexpr (E::info.is_electrode) flow = {-flow.i, -flow.g};
  V g = flow.g;
  V source = fma(flow.g, v_here, -flow.i);
  if constexpr (!E::info.is_point_process) {
    const V area = block.own_areas ? load<V>(block.area_factors + i * lanes)
                                   : V{} + block.area_factors[i];
    g = g * area;
    source = source * area;
  }
  if (shares_rows<E>(block)) {
    const std::size_t at = row_of<E, lanes>(block, i);
    store<V>(diagonal + at, load<V>(diagonal + at) + g);
    store<V>(rhs + at, load<V>(rhs + at) + source);
    return;
  }
  double gs[lanes], sources[lanes];
  store(gs, g);
  store(sources, source);
  for (int l = 0; l < lanes; ++l) {
    const auto at = static_cast<std::size_t>(block.nodes[i * lanes + l]) * lanes + l;
    diagonal[at] += gs[l];
    rhs[at] += sources[l];
  }
}

template <class V>
inline Instant<V> at_time(const V& v, const KernelTime& time) {
  return {v, time.time_ms, time.dt_ms, time.celsius};
}

template <class E, class V>
HILLOCK_KERNEL void initialise(const InstanceBlock& block, const KernelTime& time, const double* v) {
  Instances<E, V, false> instances(block);
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = instances.load(i);
    E::template initialise<V>(variables, at_time(gather_node<E, V>(block, i, v), time));
    store_instance<E, V>(block, i, variables, 0, E::info.count());
  }
}

template <class E, class V, bool uniform, bool keep_assigned>
inline void run_current(const InstanceBlock& block, const KernelTime& time, const double* v,
                        double* diagonal, double* rhs) {
  Instances<E, V, uniform> instances(block);
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = instances.load(i);
    const V v_here = gather_node<E, V>(block, i, v);
    const Current<V> flow = E::template current<V>(variables, at_time(v_here, time));
    if constexpr (keep_assigned)
      store_instance<E, V>(block, i, variables, E::info.first_assigned(), E::info.first_state());
    add_flow<E, V>(block, i, v_here, flow, diagonal, rhs);
  }
}

template <class E, class V>
HILLOCK_KERNEL void current(const InstanceBlock& block, const KernelTime& time, const double* v, double* diagonal,
             double* rhs) {
  if (block.uniform)
    run_current<E, V, true, false>(block, time, v, diagonal, rhs);
  else
    run_current<E, V, false, false>(block, time, v, diagonal, rhs);
}

template <class E, class V>
HILLOCK_KERNEL void current_and_store(const InstanceBlock& block, const KernelTime& time, const double* v,
                       double* diagonal, double* rhs) {
  run_current<E, V, false, true>(block, time, v, diagonal, rhs);
}

template <class E, class V, bool uniform>
inline void run_advance(const InstanceBlock& block, const KernelTime& time, const double* v) {
  Instances<E, V, uniform> instances(block);
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = instances.load(i);
    E::template advance<V>(variables, at_time(gather_node<E, V>(block, i, v), time));
    store_instance<E, V>(block, i, variables, E::info.first_state(), E::info.count());
  }
}

template <class E, class V>
HILLOCK_KERNEL void advance(const InstanceBlock& block, const KernelTime& time, const double* v) {
  if (block.uniform)
    run_advance<E, V, true>(block, time, v);
  else
    run_advance<E, V, false>(block, time, v);
}

template <class E, class V, bool uniform>
inline void run_both(const InstanceBlock& block, const KernelTime& end, const KernelTime& next,
                     const double* v, double* diagonal, double* rhs) {
  Instances<E, V, uniform> instances(block);
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = instances.load(i);
    const V v_here = gather_node<E, V>(block, i, v);
    E::template advance<V>(variables, at_time(v_here, end));
    store_instance<E, V>(block, i, variables, E::info.first_state(), E::info.count());
    const Current<V> flow = E::template current<V>(variables, at_time(v_here, next));
    add_flow<E, V>(block, i, v_here, flow, diagonal, rhs);
  }
}

template <class E, class V>
HILLOCK_KERNEL void advance_and_current(const InstanceBlock& block, const KernelTime& end, const KernelTime& next,
                         const double* v, double* diagonal, double* rhs) {
  if (block.uniform)
    run_both<E, V, true>(block, end, next, v, diagonal, rhs);
  else
    run_both<E, V, false>(block, end, next, v, diagonal, rhs);
}

template <class E, int lanes>
void receive(const InstanceBlock& block, std::size_t instance, int lane, double weight,
             double time_ms) {
  constexpr int count = E::info.count();
  double values[count];
  const auto place = [&](int c) {
    return (static_cast<std::size_t>(c) * block.count + instance) * lanes + lane;
  };
  for (int c = 0; c < count; ++c) values[c] = block.columns[place(c)];
  VariablesOf<E, double> variables;
  std::memcpy(&variables, values, sizeof(variables));
  E::receive(variables, weight, time_ms);
  std::memcpy(values, &variables, sizeof(variables));
  for (int c = E::info.first_assigned(); c < count; ++c) block.columns[place(c)] = values[c];
}

}  // namespace loops

/// The loops of evaluator E over `lanes` lanes.
template <class E, int lanes>
constexpr CpuKernels cpu_kernels() {
  using V = typename PackOf<lanes>::type;
  CpuKernels kernels;
  kernels.lanes = lanes;
  kernels.initialise = loops::initialise<E, V>;
  kernels.current = loops::current<E, V>;
  kernels.current_and_store = loops::current_and_store<E, V>;
  if constexpr (E::info.states > 0) {
    kernels.advance = loops::advance<E, V>;
    kernels.advance_and_current = loops::advance_and_current<E, V>;
  }
  if constexpr (E::info.receives_events) kernels.receive = loops::receive<E, lanes>;
  return kernels;
}

/// The loops of evaluator E for every number of lanes.
template <class E>
constexpr KernelSet kernel_set() {
  return {cpu_kernels<E, 1>(), cpu_kernels<E, 4>(), cpu_kernels<E, 8>()};
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
