#pragma once
// What an emitted text is included behind: it is then one of numbers with a slope, its functions of
// doubles as well.

#include "tests/simulator/tangents/dual_math.hpp"

// Behind their mathematics.
#include "mechanisms/evaluator.hpp"
#include "tests/simulator/reference/make_law.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// A Delivery to what sends nothing.
struct DualDelivery {
  Dual* arguments = nullptr;
  Dual flag, v_mV;
  Dual* all_arguments = nullptr;
  const unsigned* connections = nullptr;
  int connection_count = 0;

  void add(Message::Kind, Dual, Dual, int) {}
};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

namespace hillock::simulator::reference::inline HILLOCK_ISA {

template <>
struct DeliveryOf<Dual> {
  using type = DualDelivery;
};

}  // namespace hillock::simulator::reference::inline HILLOCK_ISA
