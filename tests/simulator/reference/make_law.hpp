#pragma once
// Makes a Law of an evaluator. Behind the mathematics of its numbers.

#include <algorithm>
#include <concepts>
#include <vector>

#include "mechanisms/instance_law.hpp"
#include "tests/simulator/reference/laws.hpp"

namespace hillock::simulator::reference::inline HILLOCK_ISA {

using namespace mechanisms;

template <class E, class Real>
using VariablesOf = typename E::template Variables<Real>;

template <class E, class Real>
VariablesOf<E, Real>& variables_in(Real* y) {
  static_assert(E::info.count() == 0 ||
                sizeof(VariablesOf<E, Real>) == E::info.count() * sizeof(Real));
  return *reinterpret_cast<VariablesOf<E, Real>*>(y);
}

template <class Real>
Instant<Real> instant(Real v_mV, const KernelTime& time) {
  return {v_mV, time.time_ms, time.dt_ms, time.celsius, time.implicit_dt_ms, time.given};
}

template <class E, class Real>
Flow<Real> current(Real* y, Real v_mV, const KernelTime& time, Real area) {
  const auto flow = E::template current<Real>(variables_in<E, Real>(y), instant<Real>(v_mV, time));
  const RowFlow<Real> row = row_flow<E>(flow, v_mV, [&] { return area; });
  return {row.g, row.source};
}

template <class E, class Real>
void advance(Real* y, Real v_mV, const KernelTime& time) {
  E::template advance<Real>(variables_in<E, Real>(y), instant<Real>(v_mV, time));
}

/// What NET_RECEIVE is handed.
template <class Real>
struct DeliveryOf {
  using type = Delivery;
};

template <class E, class Real>
void receive(Real* y, Real v_mV, const KernelTime& time, Real* arguments) {
  if constexpr (std::same_as<Real, long double>) {
    // By that of doubles: a cell that was copied from these has none other when its step begins.
    std::vector<double> doubles(y, y + E::info.count());
    std::vector<double> given(arguments, arguments + E::info.arguments);
    receive<E, double>(doubles.data(), static_cast<double>(v_mV), time, given.data());
    std::ranges::copy(doubles, y);
  } else {
    typename DeliveryOf<Real>::type event;
    event.arguments = arguments;
    E::receive(variables_in<E, Real>(y), instant<Real>(v_mV, time), event);
  }
}

template <class E, class Real>
void initialise(Real* y, Real v_mV, const KernelTime& time) {
  E::template initialise<Real>(variables_in<E, Real>(y), instant<Real>(v_mV, time));
}

template <class E, class Real>
Law<Real> make_law() {
  Law<Real> law{&E::info,         first_changed<E>, advances<E>, current<E, Real>,
                advance<E, Real>, nullptr,          nullptr};
  if constexpr (!std::floating_point<Real>) law.initialise = initialise<E, Real>;
  if constexpr (E::info.receives_events) law.receive = receive<E, Real>;
  return law;
}

}  // namespace hillock::simulator::reference::inline HILLOCK_ISA
