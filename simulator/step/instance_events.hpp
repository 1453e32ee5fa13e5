#pragma once
// Who hears of which event first: what arrives at a step boundary, and what instances ask for in
// return. For any engine; includes no standard header, so that NVRTC can compile it.
//
// A store has the instances of some nodes, with all that reaches them:
//   static constexpr bool sends, has_watches;   whether some mechanism sends events, has WATCH
//   double next_connection_ms();   the next event of a connection that arrives at the boundary, in
//   void receive_connection();     the contract's order; `none` where there is no more
//   double next_own_ms();          the next that an instance sent itself: by time, of one time in
//   the bool receive_own();            order of sending; `none` where there is none; false: no more
//   bool is_watching();
//   void test_watches(double now_ms);    all that are active (watches.hpp)
//   bool receive_fired(double now_ms);   the first of them by rank; false where none is left
// and does what an instance asks for, of type Instance whatever it is:
//   bool refuse(instance, time_ms, Refusal);         false, or throws
//   void watch(instance, const Message&, bool is_first);
//   bool send(instance, const OwnEvent&);            false, or throws, where there is no room
//   bool move(instance, time_ms);                    its event of flag 1, the latest sent; false:
//   none void spike(instance, time_ms);

#include "mechanisms/evaluator.hpp"
#include "network/arrival.hpp"
#include "simulator/step/refusal.hpp"

namespace hillock::simulator::step {

/// No event is so late.
inline constexpr double none = 1e300;

/// An event that an instance sends itself, or a spike that it announces.
struct OwnEvent {
  double time_ms;
  double weight;  ///< of the connection whose event sent it
  double flag;
  bool is_spike;
};

/// Hands out what arrives no later than last_ms, in the order of time; of one time events of
/// connections first.
template <class Store>
HILLOCK_FUNCTION void deliver_until(Store& store, long long step, double last_ms,
                                    const network::Boundaries& boundaries) {
  for (;;) {
    const double connection_ms = store.next_connection_ms();
    if constexpr (Store::sends) {
      const double own_ms = store.next_own_ms();
      if (own_ms < connection_ms && own_ms <= last_ms && boundaries.arrives_by(step, own_ms)) {
        if (!store.receive_own()) return;
        continue;
      }
    }
    if (connection_ms > last_ms || connection_ms == none) return;
    store.receive_connection();
  }
}

/// Hands out what arrives at the boundary before `step`. Conditions of WATCH are tested at the
/// boundary's own time, after what arrived until then: all of them before anyone hears of it.
template <class Store>
HILLOCK_FUNCTION void deliver(Store& store, long long step, const network::Boundaries& boundaries) {
  if constexpr (Store::has_watches) {
    if (store.is_watching()) {
      deliver_until(store, step, boundaries.before_look_ms(step), boundaries);
      store.test_watches(boundaries.boundary_ms(step));
      while (store.receive_fired(boundaries.boundary_ms(step))) {
      }
    }
  }
  deliver_until(store, step, none, boundaries);
}

/// Does what an instance asked for when it heard of an event at time_ms. False: it was refused.
template <class Store, class Instance>
HILLOCK_FUNCTION bool answer(Store& store, const Instance& instance,
                             const mechanisms::Delivery& delivery, double time_ms, double weight) {
  using mechanisms::Message;
  if (delivery.message_count > mechanisms::Delivery::most_messages)
    return store.refuse(instance, time_ms, Refusal::too_many_messages);
  bool is_first_watch = true;
  for (int m = 0; m < delivery.message_count; ++m) {
    const Message& message = delivery.messages[m];
    if (message.kind == Message::Kind::watch) {
      store.watch(instance, message, is_first_watch);
      is_first_watch = false;
      continue;
    }
    const bool is_finite = message.time_ms - message.time_ms == 0;
    if (!is_finite || message.time_ms < time_ms - 1e-9)
      return store.refuse(instance, time_ms, Refusal::not_in_future);
    const double when_ms = message.time_ms < time_ms ? time_ms : message.time_ms;
    if (message.kind == Message::Kind::spike && when_ms <= time_ms) {
      store.spike(instance, when_ms);
    } else if (message.kind == Message::Kind::move) {
      if (!store.move(instance, when_ms))
        return store.refuse(instance, time_ms, Refusal::moves_nothing);
    } else {
      const bool is_spike = message.kind == Message::Kind::spike;
      const OwnEvent event{when_ms, is_spike ? 0 : weight, is_spike ? 0 : message.flag, is_spike};
      if (!store.send(instance, event))
        return store.refuse(instance, time_ms, Refusal::too_many_awaited);
    }
  }
  return true;
}

}  // namespace hillock::simulator::step
