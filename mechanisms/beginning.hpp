#pragma once
// INITIAL of a block's instances. It runs once, so that what is around it is no loop of each
// mechanism's: it is compiled once for all of a unit.

#include <cstddef>

#include "mechanisms/instance_columns.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// INITIAL of a mechanism, and what it says of its variables.
struct Beginning {
  void (*initialise)(double* variables, const Instant<double>&);
  int states, first_assigned, first_state;
  bool is_point_process, is_point_neuron;
  const Coupling* couplings;
  int coupling_count;
};

/// values: room for the variables of one instance.
inline __attribute__((cold, noinline)) void begin_all(const Beginning& of,
                                                      const InstanceBlock& block,
                                                      const KernelTime& time, const double* v,
                                                      double* values) {
  const std::size_t lanes = block.lanes, states = static_cast<std::size_t>(of.states),
                    others = static_cast<std::size_t>(of.first_state);
  const std::size_t stored = block.uniform ? lanes : block.count * lanes;
  double* const columns_of_others = block.columns + states * block.count * lanes;
  for (std::size_t at = block.first * lanes; at < block.last() * lanes; ++at) {
    const std::size_t lane = at % lanes, there = block.uniform ? lane : at;
    const auto for_columns = [&](const auto& body) {
      for (std::size_t c = 0; c < others; ++c)
        body(values[c], columns_of_others[c * stored + there]);
      for (std::size_t s = 0; s < states; ++s)
        body(values[others + s], block.columns[s * block.count * lanes + at]);
    };
    std::size_t row = 0;
    if (!of.is_point_neuron)
      row = static_cast<std::size_t>(block.nodes[of.is_point_process ? at : at / lanes]) * lanes +
            lane;
    // Where a coupling's number lies; null where it is the instance's own.
    const auto shared = [&](int k) -> double* {
      if (!block.shared) return nullptr;
      if (of.couplings[k].quantity == SharedQuantity::pointer) return &pointed(block, k, at);
      return block.shared[k] ? block.shared[k] + row : nullptr;
    };

    for_columns([](double& value, double& column) { value = column; });
    for (int k = 0; k < of.coupling_count; ++k)
      if (of.couplings[k].column < of.first_assigned)
        if (const double* number = shared(k)) values[of.couplings[k].column] = *number;
    of.initialise(values, at_time(of.is_point_neuron ? 0.0 : v[row], time));
    for_columns([](double& value, double& column) { column = value; });
    for (int k = 0; k < of.coupling_count; ++k) {
      if (!of.couplings[k].sets()) continue;
      double* const number = shared(k);
      const bool is_pointer = of.couplings[k].quantity == SharedQuantity::pointer;
      const bool is_there =
          is_pointer || of.is_point_process || !block.own_areas || block.area_factors[at] > 0.0;
      if (number && is_there) *number = values[of.couplings[k].column];
    }
  }
}

template <class E>
void initialise_one(double* values, const Instant<double>& at) {
  E::template initialise<double>(*reinterpret_cast<VariablesOf<E, double>*>(values), at);
}

template <class E>
__attribute__((cold)) void initialise(const InstanceBlock& block, const KernelTime& time,
                                      const double* v) {
  static constexpr Beginning of{
      initialise_one<E>,     E::info.states,           E::info.first_assigned(),
      E::info.first_state(), E::info.is_point_process, E::info.is_point_neuron,
      E::couplings,          E::info.coupling_count};
  double values[E::info.count() + 1];
  begin_all(of, block, time, v, values);
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
