#pragma once
// The CPU loops over a mechanism's instances: written once, instantiated for every evaluator.

#include <cstddef>

#include "core/pack.hpp"
#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms {

/// One mechanism's instances in one group of cells, lane-interleaved.
struct InstanceBlock {
  std::size_t count = 0;  ///< instances in each lane
  /// Variable c of instance i in lane l: columns[(c·count + i)·lanes + l].
  double* columns = nullptr;
  /// The node of instance i: nodes[i] for density mechanisms (the same in every lane),
  /// nodes[i·lanes + l] for point processes.
  const int* nodes = nullptr;
  /// Density mechanisms: um2 · 0.01 of instance i, which turns mA/cm2 into nA.
  const double* area_factors = nullptr;
};

/// The time a kernel runs at.
struct KernelTime {
  double time_ms = 0;
  double dt_ms = 0;
  double celsius = 0;
};

/// A mechanism's loops for one number of lanes. Node arrays are [node][lane].
struct CpuKernels {
  int lanes = 1;
  /// Sets states and assigned variables from v and the parameters.
  void (*initialise)(const InstanceBlock&, const KernelTime&, const double* v) = nullptr;
  /// Adds to the matrix row of each instance's node: diagonal += g, rhs += g·v - i.
  void (*current)(const InstanceBlock&, const KernelTime&, const double* v, double* diagonal,
                  double* rhs) = nullptr;
  /// The same, and stores assigned variables so that they can be recorded.
  void (*current_and_store)(const InstanceBlock&, const KernelTime&, const double* v,
                            double* diagonal, double* rhs) = nullptr;
  /// Integrates states over dt with the new v; null when there are none.
  void (*advance)(const InstanceBlock&, const KernelTime&, const double* v) = nullptr;
  /// Applies one event; null when the mechanism takes none.
  void (*receive)(const InstanceBlock&, std::size_t instance, int lane, double weight,
                  double time_ms) = nullptr;
};

namespace loops {

template <class E, class V>
using VariablesOf = typename E::template Variables<V>;

template <class E, class V>
inline VariablesOf<E, V> load_instance(const InstanceBlock& block, std::size_t i) {
  constexpr int count = E::info.count();
  static_assert(sizeof(VariablesOf<E, V>) == count * sizeof(V));
  constexpr int lanes = lanes_of<V>;
  V values[count];
  for (int c = 0; c < count; ++c)
    values[c] = load<V>(block.columns + (static_cast<std::size_t>(c) * block.count + i) * lanes);
  VariablesOf<E, V> variables;
  std::memcpy(&variables, values, sizeof(variables));
  return variables;
}

/// Stores variables [first, last) of an instance.
template <class E, class V>
inline void store_instance(const InstanceBlock& block, std::size_t i,
                           const VariablesOf<E, V>& variables, int first, int last) {
  constexpr int count = E::info.count();
  constexpr int lanes = lanes_of<V>;
  V values[count];
  std::memcpy(values, &variables, sizeof(variables));
  for (int c = first; c < last; ++c)
    store(block.columns + (static_cast<std::size_t>(c) * block.count + i) * lanes, values[c]);
}

template <class E, class V>
inline V gather_node(const InstanceBlock& block, std::size_t i, const double* v) {
  constexpr int lanes = lanes_of<V>;
  if constexpr (E::info.is_point_process) {
    double values[lanes];
    for (int l = 0; l < lanes; ++l) {
      const auto node = static_cast<std::size_t>(block.nodes[i * lanes + l]);
      values[l] = v[node * lanes + l];
    }
    return load<V>(values);
  } else {
    return load<V>(v + static_cast<std::size_t>(block.nodes[i]) * lanes);
  }
}

template <class E, class V>
void initialise(const InstanceBlock& block, const KernelTime& time, const double* v) {
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = load_instance<E, V>(block, i);
    E::template initialise<V>(
        variables,
        Instant<V>{gather_node<E, V>(block, i, v), time.time_ms, time.dt_ms, time.celsius});
    store_instance<E, V>(block, i, variables, 0, E::info.count());
  }
}

template <class E, class V, bool keep_assigned>
void current(const InstanceBlock& block, const KernelTime& time, const double* v, double* diagonal,
             double* rhs) {
  constexpr int lanes = lanes_of<V>;
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = load_instance<E, V>(block, i);
    const V v_here = gather_node<E, V>(block, i, v);
    Current<V> flow = E::template current<V>(
        variables, Instant<V>{v_here, time.time_ms, time.dt_ms, time.celsius});
    if constexpr (keep_assigned)
      store_instance<E, V>(block, i, variables, E::info.first_assigned(), E::info.first_state());
    if constexpr (E::info.is_electrode) flow = {-flow.i, -flow.g};
    if constexpr (E::info.is_point_process) {
      double g[lanes], b[lanes];
      store(g, flow.g);
      const V source = flow.g * v_here - flow.i;
      store(b, source);
      for (int l = 0; l < lanes; ++l) {
        const auto at = static_cast<std::size_t>(block.nodes[i * lanes + l]) * lanes + l;
        diagonal[at] += g[l];
        rhs[at] += b[l];
      }
    } else {
      const double area = block.area_factors[i];
      const std::size_t at = static_cast<std::size_t>(block.nodes[i]) * lanes;
      const V source = flow.g * v_here - flow.i;
      store(diagonal + at, load<V>(diagonal + at) + flow.g * area);
      store(rhs + at, load<V>(rhs + at) + source * area);
    }
  }
}

template <class E, class V>
void advance(const InstanceBlock& block, const KernelTime& time, const double* v) {
  for (std::size_t i = 0; i < block.count; ++i) {
    auto variables = load_instance<E, V>(block, i);
    E::template advance<V>(
        variables,
        Instant<V>{gather_node<E, V>(block, i, v), time.time_ms, time.dt_ms, time.celsius});
    store_instance<E, V>(block, i, variables, E::info.first_state(), E::info.count());
  }
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
  kernels.current = loops::current<E, V, false>;
  kernels.current_and_store = loops::current<E, V, true>;
  if constexpr (E::info.states > 0) kernels.advance = loops::advance<E, V>;
  if constexpr (E::info.receives_events) kernels.receive = loops::receive<E, lanes>;
  return kernels;
}

}  // namespace hillock::mechanisms
