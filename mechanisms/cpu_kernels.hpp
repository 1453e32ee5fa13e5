#pragma once
// The CPU loops over a mechanism's instances: written once, instantiated for every evaluator,
// number of lanes and instruction set (core/simd/isa.hpp).

#include <cstddef>

#include "mechanisms/beginning.hpp"
#include "mechanisms/instance_spots.hpp"
#include "mechanisms/last_instances.hpp"
#include "mechanisms/point_loop.hpp"
#include "mechanisms/single_instance.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

template <class E>
inline bool shares_rows(const InstanceBlock& block) {
  return !E::info.is_point_process || block.aligned;
}

/// Where a spot whose lanes share a row is in node arrays.
template <class E, int lanes, class N>
inline std::size_t row_index(const InstanceBlock& block, Spot<lanes, N> spot) {
  const int node =
      block.nodes[E::info.is_point_process ? spot.instance * spot.width() : spot.instance];
  return static_cast<std::size_t>(node) * spot.width() + spot.part;
}

template <int lanes, class N>
inline Spot<lanes, N> of_rows(const InstanceBlock& block, const Spot<lanes, N>& spot) {
  return several<lanes, N>(
      [&](std::size_t k) { return static_cast<std::size_t>(block.nodes[spot.instances[k]]); });
}

/// What node arrays have at a spot whose lanes share a row, or whose instances have one each.
template <class E, int lanes, class N, class D = DoublesOf<Part<lanes, N>>>
inline D load_rows(const InstanceBlock& block, Spot<lanes, N> spot, const double* nodes) {
  if constexpr (lanes == across)
    return spot.lies_together ? load<D>(nodes + block.nodes[spot.instance])
                              : gather<D>(nodes, block.nodes + spot.instance);
  else if constexpr (lanes < across)
    return load_at<D>(nodes, of_rows(block, spot));
  else
    return load<D>(nodes + row_index<E>(block, spot));
}
template <class E, int lanes, class N, class D = DoublesOf<Part<lanes, N>>>
inline void store_rows(const InstanceBlock& block, Spot<lanes, N> spot, double* nodes,
                       const D& value) {
  if constexpr (lanes == across)
    return spot.lies_together ? store<D>(nodes + block.nodes[spot.instance], value)
                              : scatter<D>(nodes, block.nodes + spot.instance, value);
  else if constexpr (lanes < across)
    store_at(nodes, of_rows(block, spot), value);
  else
    store<D>(nodes + row_index<E>(block, spot), value);
}

/// Where lane `l` of a spot is in node arrays, when lanes have their own rows.
template <int lanes, class N>
inline std::size_t lane_index(const InstanceBlock& block, Spot<lanes, N> spot, int l) {
  const std::size_t lane = static_cast<std::size_t>(l);
  return static_cast<std::size_t>(block.nodes[spot.index() + lane]) * spot.width() + spot.part +
         lane;
}

template <class E, int lanes, class N, class D = DoublesOf<Part<lanes, N>>>
inline D gather_doubles(const InstanceBlock& block, Spot<lanes, N> spot, const double* nodes) {
  if (shares_rows<E>(block)) return load_rows<E>(block, spot, nodes);
  double values[lanes_of<D>];
  for (int l = 0; l < lanes_of<D>; ++l) values[l] = nodes[lane_index(block, spot, l)];
  return load<D>(values);
}
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline V gather_node(const InstanceBlock& block, Spot<lanes, N> spot, const double* nodes) {
  if constexpr (E::info.is_point_neuron) return V{};
  return narrowed<V>(gather_doubles<E>(block, spot, nodes));
}

/// Loads the variables that instances share with their location.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void load_shared(const InstanceBlock& block, Spot<lanes, N> spot,
                        VariablesOf<E, V>& variables) {
  const auto supplied = [](const Coupling& c) { return c.column < E::info.first_assigned(); };
  for_each_coupling<E>(block, supplied, [&](int k) {
    V& value = array_of<E, V>(variables)[E::couplings[k].column];
    if (E::couplings[k].quantity == SharedQuantity::pointer) {
      double values[lanes_of<V>];
      for (int l = 0; l < lanes_of<V>; ++l)
        values[l] = pointed(block, k, spot.index() + static_cast<std::size_t>(l));
      value = load<V>(values);
    } else if (block.shared[k]) {
      value = gather_node<E>(block, spot, block.shared[k]);
    }
  });
}

/// value at the rows of a spot: where its lanes have the mechanism, `change(old)`.
template <class E, int lanes, class N, class Change, class D = DoublesOf<Part<lanes, N>>>
inline void change_node(const InstanceBlock& block, Spot<lanes, N> spot, double* nodes,
                        const Change& change) {
  if (shares_rows<E>(block)) {
    const D old = load_rows<E>(block, spot, nodes);
    D value = change(old);
    if (!E::info.is_point_process && block.own_areas)
      value = select(load_at<D>(block.area_factors, spot) > 0.0, value, old);
    store_rows<E>(block, spot, nodes, value);
    return;
  }
  const D changed = change(gather_doubles<E>(block, spot, nodes));
  double values[lanes_of<D>];
  store(values, changed);
  for (int l = 0; l < lanes_of<D>; ++l) nodes[lane_index(block, spot, l)] = values[l];
}

/// Stores what the mechanism writes and the location keeps, but currents.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void store_shared(const InstanceBlock& block, Spot<lanes, N> spot,
                         VariablesOf<E, V>& variables) {
  const auto set = [](const Coupling& c) { return c.sets(); };
  for_each_coupling<E>(block, set, [&](int k) {
    const V value = array_of<E, V>(variables)[E::couplings[k].column];
    if (E::couplings[k].quantity == SharedQuantity::pointer) {
      double values[lanes_of<V>];
      store(values, value);
      for (int l = 0; l < lanes_of<V>; ++l)
        pointed(block, k, spot.index() + static_cast<std::size_t>(l)) = values[l];
    } else if (block.shared[k]) {
      change_node<E>(block, spot, block.shared[k], [&](const auto&) { return widened(value); });
    }
  });
}

/// Adds the ions' currents to those kept with the location, mA/cm2.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void add_ion_currents(const InstanceBlock& block, Spot<lanes, N> spot,
                             VariablesOf<E, V>& variables) {
  const auto adds = [](const Coupling& c) { return c.adds(); };
  for_each_coupling<E>(block, adds, [&](int k) {
    if (!block.shared[k]) return;
    V current = array_of<E, V>(variables)[E::couplings[k].column];
    if constexpr (E::info.is_point_process)
      current = current * load_at<V>(block.area_factors, spot);
    change_node<E>(block, spot, block.shared[k],
                   [&](const auto& sum) { return sum + widened(current); });
  });
}

/// Whether instance 0 speaks for all of them in everything but the states, lane by lane.
template <class E>
inline bool loads_once(const InstanceBlock& block) {
  return block.uniform && !E::info.changes_parameters;
}

/// How the variables of one instance after the other are read.
enum class Reading {
  each,    ///< in every turn of the loop
  once,    ///< what is no state is one number: read, and worked with, before the loop
  either,  ///< in every turn, of instance 0 where it speaks for all
};

template <class E, int lanes, class N, Reading reading, class V = Part<lanes, N>>
class Instances {
 public:
  explicit Instances(const InstanceBlock& block)
      : block_(block),
        mask_(reading == Reading::either && loads_once<E>(block) ? 0 : ~std::size_t{0}) {
    if constexpr (reading == Reading::once) read_once(shared_);
  }

  VariablesOf<E, V> at(Spot<lanes, N> spot) const {
    VariablesOf<E, V> variables = shared_;
    if constexpr (reading == Reading::either && lanes == across) {
      bool is_one = loads_once<E>(block_);
      asm("" : "+r"(is_one));  // else there are two loops
      if (is_one)
        read_once(variables);
      else
        load_columns<E>(block_, spot, 0, E::info.first_state(), variables);
    } else if constexpr (reading != Reading::once) {
      load_columns<E>(block_, masked(spot, mask_), 0, E::info.first_state(), variables);
    }
    load_columns<E>(block_, spot, E::info.first_state(), E::info.count(), variables);
    load_shared<E>(block_, spot, variables);
    return variables;
  }

 private:
  void read_once(VariablesOf<E, V>& variables) const {
    if constexpr (lanes == across)
      spread_columns<E>(block_, 0, E::info.first_state(), variables);
    else
      load_columns<E>(block_, Spot<lanes, N>{}, 0, E::info.first_state(), variables);
  }

  const InstanceBlock block_;
  const std::size_t mask_;  ///< of instances
  VariablesOf<E, V> shared_{};
};

/// Whether a loop gets two bodies, one that works before the loop and one that does not: it takes
/// twice as long to compile. Of density mechanisms it pays for cells that lie alone, and for eight
/// side by side with AVX-512's 32 registers.
template <class E, int lanes>
inline constexpr bool has_two_bodies = lanes != any &&
                                       (E::info.is_point_process || lanes == 1 || lanes == across ||
                                        (lanes % 8 == 0 && register_bytes >= 64));

/// Calls body(Instances) with the reading that suits.
template <class E, int lanes, class N, bool two_bodies, class Body>
inline void with_instances(const InstanceBlock& block, const Body& body) {
  constexpr Reading of_many = lanes == across ? Reading::each : Reading::either;
  if constexpr (!two_bodies)
    body(Instances<E, lanes, N, Reading::either>(block));
  else if (loads_once<E>(block) && (lanes == across || !block.lanes_differ))
    body(Instances<E, lanes, N, Reading::once>(block));
  else
    body(Instances<E, lanes, N, of_many>(block));
}

/// Calls body(Instances, Spot) for every part of every instance that is asked for.
template <class E, int lanes, class N, bool two_bodies = has_two_bodies<E, lanes>, class Body>
inline void for_instances(const InstanceBlock& block, const Body& body) {
  with_instances<E, lanes, N, two_bodies>(block, [&](const auto& instances) {
    for_each<lanes, N>(block, [&](Spot<lanes, N> spot) { body(instances, spot); });
  });
}

/// Adds an instance's current to its rows.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void add_flow(const InstanceBlock& block, Spot<lanes, N> spot, const V& v_here,
                     const Current<V>& flow, double* diagonal, double* rhs) {
  const auto [g, source] = row_flow<E>(flow, v_here, [&]() -> V {
    if (block.own_areas || lanes == across) return load_at<V>(block.area_factors, spot);
    return spread_at<V>(block.area_factors, spot);
  });
  if (shares_rows<E>(block)) {
    using D = DoublesOf<V>;
    store_rows<E>(block, spot, diagonal, D(load_rows<E>(block, spot, diagonal) + widened(g)));
    store_rows<E>(block, spot, rhs, D(load_rows<E>(block, spot, rhs) + widened(source)));
    return;
  }
  double gs[lanes_of<V>], sources[lanes_of<V>];
  store(gs, g);
  store(sources, source);
  for (int l = 0; l < lanes_of<V>; ++l) {
    const std::size_t at = lane_index(block, spot, l);
    diagonal[at] += gs[l];
    rhs[at] += sources[l];
  }
}

/// Evaluates the current at a spot and adds it to its rows.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void flow_at(const InstanceBlock& block, Spot<lanes, N> spot, const V& v_here,
                    VariablesOf<E, V>& variables, const KernelTime& time, double* diagonal,
                    double* rhs) {
  const Current<V> flow = E::template current<V>(variables, at_time(v_here, time));
  if constexpr (E::info.changes_in_current) {
    store_columns<E>(block, spot, variables,
                     E::info.changes_parameters ? 0 : E::info.first_assigned(), E::info.count());
    store_shared<E>(block, spot, variables);
  }
  add_ion_currents<E>(block, spot, variables);
  add_flow<E>(block, spot, v_here, flow, diagonal, rhs);
}

/// Integrates the states at a spot.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void advance_at(const InstanceBlock& block, Spot<lanes, N> spot, const V& v_here,
                       VariablesOf<E, V>& variables, const KernelTime& end) {
  E::template advance<V>(variables, at_time(v_here, end));
  store_columns<E>(block, spot, variables, first_changed<E>, E::info.count());
  store_shared<E>(block, spot, variables);
}

/// Stores what is assigned, to be recorded.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void store_assigned(const InstanceBlock& block, Spot<lanes, N> spot,
                           VariablesOf<E, V>& variables) {
  store_columns<E>(block, spot, variables, E::info.first_assigned(), E::info.first_state());
}

/// A part of a turn alone, for what does not come side by side.
template <class E, int lanes, class N>
HILLOCK_KERNEL void advance(const InstanceBlock& block, const KernelTime& end, const double* v) {
  for_instances<E, lanes, N>(block, [&](const auto& instances, auto spot) {
    auto variables = instances.at(spot);
    advance_at<E>(block, spot, gather_node<E>(block, spot, v), variables, end);
  });
}
template <class E, int lanes, class N>
HILLOCK_KERNEL void flow(const InstanceBlock& block, bool stores, const KernelTime& now,
                         const double* v, double* diagonal, double* rhs) {
  for_instances<E, lanes, N>(block, [&](const auto& instances, auto spot) {
    auto variables = instances.at(spot);
    flow_at<E>(block, spot, gather_node<E>(block, spot, v), variables, now, diagonal, rhs);
    if (stores) store_assigned<E>(block, spot, variables);
  });
}

/// Gates of one step and currents of the next, where most of a run's time goes.
template <class E, int lanes, class N>
HILLOCK_KERNEL void advance_and_flow(const InstanceBlock& block, const KernelTime& end,
                                     const KernelTime& now, const double* v, double* diagonal,
                                     double* rhs) {
  for_instances<E, lanes, N>(block, [&](const auto& instances, auto spot) {
    auto variables = instances.at(spot);
    const auto v_here = gather_node<E>(block, spot, v);
    advance_at<E>(block, spot, v_here, variables, end);
    flow_at<E>(block, spot, v_here, variables, now, diagonal, rhs);
  });
}

/// Whatever is asked of a density mechanism with states: one body, of which the compiler is kept
/// from making one for each thing that may be asked. Asked for both that is some 6 % slower.
template <class E, int lanes, class N>
HILLOCK_KERNEL void turn_as_asked(const InstanceBlock& block, unsigned asked, const KernelTime& end,
                                  const KernelTime& now, const double* v, double* diagonal,
                                  double* rhs) {
  for_instances<E, lanes, N, false>(block, [&](const auto& instances, auto spot) {
    asm("" : "+r"(asked));
    auto variables = instances.at(spot);
    const auto v_here = gather_node<E>(block, spot, v);
    if constexpr (advances<E>)
      if (asked & asks::advance) advance_at<E>(block, spot, v_here, variables, end);
    if (asked & asks::flow) flow_at<E>(block, spot, v_here, variables, now, diagonal, rhs);
    if (asked & asks::store) store_assigned<E>(block, spot, variables);
  });
}

template <class E, int lanes, class N>
void turn(const InstanceBlock& block, unsigned asked, const KernelTime& end, const KernelTime& now,
          const double* v, double* diagonal, double* rhs) {
  const bool stores = asked & asks::store;
  if constexpr (!advances<E>) {
    if (asked & asks::flow) flow<E, lanes, N>(block, stores, now, v, diagonal, rhs);
  } else if constexpr (E::info.is_point_process) {
    if (asked & asks::advance) advance<E, lanes, N>(block, end, v);
    if (asked & asks::flow) flow<E, lanes, N>(block, stores, now, v, diagonal, rhs);
  } else if (asked == (asks::advance | asks::flow)) {
    advance_and_flow<E, lanes, N>(block, end, now, v, diagonal, rhs);
  } else {
    turn_as_asked<E, lanes, N>(block, asked, end, now, v, diagonal, rhs);
  }
}

/// Of a group of one lane: as many instances at a time as fill a register.
template <class E, class N>
void turn_alone(const InstanceBlock& block, unsigned asked, const KernelTime& end,
                const KernelTime& now, const double* v, double* diagonal, double* rhs) {
  constexpr int width = lanes_of_part<across, N>();
  InstanceBlock part = block;
  part.end = block.last() - (block.last() - block.first) % width;
  if (part.first < part.end) turn<E, across, N>(part, asked, end, now, v, diagonal, rhs);
  if (part.end == block.last()) return;
  static constexpr RegisterLoop loop{turn<E, across, N>,
                                     width,
                                     E::info.states,
                                     E::info.first_state(),
                                     E::info.changes_parameters ? 0 : E::info.first_assigned(),
                                     E::couplings,
                                     E::info.coupling_count};
  RegisterRoom<E, width> room;
  turn_last(loop, room.columns, room.values, room.shared, block, part.end, asked, end, now, v,
            diagonal, rhs);
}

template <class E, int lanes, class N>
constexpr auto turn_of() {
  if constexpr (lanes == across)
    return &turn_alone<E, N>;
  else
    return &turn<E, lanes, N>;
}

}  // namespace loops

/// The loops of evaluator E over `lanes` lanes.
template <class E, int lanes>
constexpr CpuKernels cpu_kernels() {
  constexpr int known = loops::compiled<lanes>;
  CpuKernels kernels;
  kernels.lanes = lanes;
  kernels.initialise = loops::initialise<E>;
  if constexpr (E::info.is_point_neuron) {
    kernels.step = loops::step<E, known>;
  } else {
    kernels.turn = loops::turn_of<E, loops::how<E, lanes, double>(), double>();
    kernels.advances = advances<E>;
  }
  if constexpr (E::info.receives_events) kernels.receive = loops::apply<E, known, E::receive>;
  if constexpr (E::info.receives_events && E::info.is_linear)
    kernels.receive_all = loops::receive_all<E, known>;
  if constexpr (E::info.starts) kernels.start = loops::apply<E, known, E::start>;
  if constexpr (E::info.begins_connections) kernels.connect = loops::apply<E, known, E::connect>;
  if constexpr (E::info.watches > 0) kernels.watch = loops::watch<E, known>;
  return kernels;
}

/// The loops of evaluator E for these numbers of lanes.
template <class E, int... lanes>
constexpr KernelSet kernel_set() {
  KernelSet set;
  ((set.of(lanes) = cpu_kernels<E, lanes>()), ...);
  return set;
}

/// Whether `precision: mixed` has loops of its own for a mechanism: gates and rates, whose numbers
/// fit into floats.
constexpr bool has_mixed_loops(const MechanismInfo& info) {
  return !info.is_point_process && !info.is_point_neuron && !info.is_constant &&
         !info.keeps_doubles;
}

/// The loops of evaluator E where mechanisms compute with floats. What is set and what comes from
/// outside, events among it, is in doubles all the same.
template <class E, int lanes>
constexpr CpuKernels mixed_kernels() {
  CpuKernels kernels = cpu_kernels<E, lanes>();
  if constexpr (has_mixed_loops(E::info))
    kernels.turn = loops::turn_of<E, loops::how<E, lanes, float>(), float>();
  return kernels;
}
template <class E, int... lanes>
constexpr KernelSet mixed_kernel_set() {
  KernelSet set;
  ((set.of(lanes) = mixed_kernels<E, lanes>()), ...);
  return set;
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
