#pragma once
// What works on one instance of one lane: events, the beginning of a run, conditions of WATCH.

#include <cstddef>
#include <cstring>

#include "core/simd/pack.hpp"
#include "mechanisms/instance_columns.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// One instance of one lane on its own: what events are applied to. lanes: those of the block, or
/// `any`.
template <class E, int lanes>
class Single {
 public:
  Single(const InstanceBlock& block, std::size_t instance, int lane)
      : block_(block), instance_(instance), lane_(static_cast<std::size_t>(lane)) {
    double values[E::info.count() + 1];
    for (int c = 0; c < E::info.count(); ++c) values[c] = column(c);
    for_each_shared([&](int k, int c) {
      if (const double* shared = shared_of(k)) values[c] = *shared;
    });
    std::memcpy(&variables, values, sizeof(variables));
  }

  void store() {
    double values[E::info.count() + 1];
    std::memcpy(values, &variables, sizeof(variables));
    for (int c = 0; c < E::info.count(); ++c) column(c) = values[c];
    for_each_shared([&](int k, int c) {
      double* const shared = shared_of(k);
      if (shared && E::couplings[k].writes) *shared = values[c];
    });
  }

  /// All that a linear mechanism's events change.
  void store_states() {
    double values[E::info.count() + 1];
    std::memcpy(values, &variables, sizeof(variables));
    for (int c = E::info.first_state(); c < E::info.count(); ++c) column(c) = values[c];
  }

  Instant<double> at(const KernelTime& time, const double* v) const {
    if constexpr (E::info.is_point_neuron) return at_time(0.0, time);
    return at_time(v[row()], time);
  }

  VariablesOf<E, double> variables;

 private:
  std::size_t width() const { return lanes == any ? block_.lanes : lanes; }
  double& column(int c) const {
    const bool is_once = block_.uniform && c < E::info.first_state();
    return column_of<E>(block_, c, width())[(is_once ? 0 : instance_ * width()) + lane_];
  }
  std::size_t row() const {
    const std::size_t at = E::info.is_point_process ? instance_ * width() + lane_ : instance_;
    return static_cast<std::size_t>(block_.nodes[at]) * width() + lane_;
  }
  double* shared_of(int k) const {
    if (E::couplings[k].quantity == SharedQuantity::pointer)
      return &pointed(block_, k, instance_ * width() + lane_);
    return block_.shared[k] ? block_.shared[k] + row() : nullptr;
  }
  template <class Body>
  void for_each_shared(const Body& body) const {
    for_each_coupling<E>(
        block_, [](const Coupling& c) { return c.column < E::info.first_assigned(); },
        [&](int k) { body(k, E::couplings[k].column); });
  }

  const InstanceBlock& block_;
  std::size_t instance_, lane_;
};

/// Lets `function` (receive, start or connect of E) work on one instance.
template <class E, int lanes, auto function>
void apply(const InstanceBlock& block, std::size_t instance, int lane, const KernelTime& time,
           const double* v, Delivery& event) {
  Single<E, lanes> single(block, instance, lane);
  function(single.variables, single.at(time, v), event);
  single.store();
}

/// Events of a linear mechanism: they add to states and ask for nothing.
template <class E, int lanes>
HILLOCK_KERNEL void receive_all(const InstanceBlock& block, const Addition* events,
                                std::size_t count, const KernelTime& now, const double* v) {
  KernelTime time = now;
  double arguments[E::info.arguments + 1] = {};
  Delivery delivery;
  delivery.arguments = arguments;
  for (const Addition* event = events; event != events + count; ++event) {
    Single<E, lanes> single(block, event->instance, event->lane);
    time.time_ms = event->time_ms;
    for (double& argument : arguments) argument = 0;
    arguments[0] = event->weight;
    E::receive(single.variables, single.at(time, v), delivery);
    single.store_states();
  }
}

template <class E, int lanes>
double watch(const InstanceBlock& block, std::size_t instance, int lane, const KernelTime& time,
             const double* v, int number) {
  Single<E, lanes> single(block, instance, lane);
  return E::watch(number, single.variables, single.at(time, v));
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
