#pragma once
// Events of one cell: applied to its instances at step boundaries, with what these ask for in turn.
// An instance's events are its thread's to apply, in the order of time; of one time events of
// connections first, as on the CPU (backends/cpu/event_delivery.cpp).

#include "network/arrival.hpp"
#include "simulator/backends/cuda/device/cell_context.hpp"

namespace hillock::simulator::cuda {

template <class Program>
class CellEvents : public CellContext<Program> {
  using Context = CellContext<Program>;

 protected:
  using Context::a_;
  using Context::all_;
  using Context::cell_;

 public:
  using Context::Context;

 protected:
  __device__ __forceinline__ void begin_events(const EpochEvents& events) {
    events_ = events.events;
    next_ = events.begin ? events.begin[cell_] : 0;
    end_ = events.begin ? events.end[cell_] : 0;
    next_step_ = next_ < end_ ? events_[next_].step : ~0u;
    if constexpr (Program::sends) find_next_awaited();
    if constexpr (Program::watches) find_watching();
  }

  /// Applies what arrives at the boundary before a step. number: of the step in its epoch.
  /// Conditions of WATCH are tested at the boundary's own time: after what arrived until then.
  __device__ __forceinline__ void deliver(long long step, unsigned number) {
    step_ = step;
    received_ = 0;
    if constexpr (Program::watches) {
      if (watching_) {
        const double now_ms = static_cast<double>(step) * all_.run.dt_ms;
        deliver_until(number, now_ms + 1e-6 * all_.run.dt_ms);  // times are sums
        test_watches(now_ms);
      }
    }
    deliver_until(number, never_ms);
  }

 private:
  static constexpr double never_ms = 1e300;
  static constexpr unsigned most_events = 1000000;

  template <class Body>
  __device__ __forceinline__ void with_block(unsigned wanted, const Body& body) const {
    unsigned number = 0;
    all_.blocks.each([&](auto block, const auto& arrays) {
      if (number == wanted) body(block, arrays);
      ++number;
    });
  }
  /// Calls body(Block, arrays, its number).
  template <class Body>
  __device__ __forceinline__ void for_blocks(const Body& body) const {
    unsigned number = 0;
    all_.blocks.each([&](auto block, const auto& arrays) { body(block, arrays, number++); });
  }

  /// What arrives at the boundary, no later than last_ms. number: of the step in its epoch.
  __device__ __forceinline__ void deliver_until(unsigned number, double last_ms) {
    while (next_step_ <= number && events_[next_].time_ms <= last_ms) {
      const Event event = events_[next_++];
      next_step_ = next_ < end_ ? events_[next_].step : ~0u;
      with_block(event.block, [&](auto block, const auto& arrays) {
        using B = decltype(block);
        if constexpr (B::E::info.receives_events) {
          const InstanceSlot at = this->slot_of(arrays, event.instance);
          if (!this->owns(at.r)) return;
          if constexpr (B::E::info.sends_events)
            if (next_awaited_ms_ < event.time_ms)
              deliver_awaited<B>(arrays, event.block, at, event.time_ms);
          receive<B>(arrays, event.block, at, event.time_ms, 0, event.weight, event.slot);
        }
      });
    }
    if constexpr (Program::sends) {
      if (next_awaited_ms_ > last_ms ||
          !network::arrives_by(step_, next_awaited_ms_, all_.run.dt_ms))
        return;
      for_blocks([&](auto block, const auto& arrays, unsigned its_number) {
        using B = decltype(block);
        if constexpr (B::E::info.sends_events)
          this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
            deliver_awaited<B>(arrays, its_number, at, last_ms, true);
          });
      });
      find_next_awaited();
    }
  }

  /// The instance's own events that arrive at the boundary before `end_ms`, or no later.
  template <class B>
  __device__ __noinline__ void deliver_awaited(const BlockArrays<typename B::E>& block,
                                               unsigned number, const InstanceSlot& at,
                                               double end_ms, bool and_then = false) {
    AwaitedEvent* const all = block.awaited + at.element * room_for_awaited;
    AwaitedCount& count = block.awaited_count[at.element];
    for (;;) {
      unsigned first = 0;
      for (unsigned k = 1; k < count.count; ++k)
        if (all[k].time_ms < all[first].time_ms ||
            (all[k].time_ms == all[first].time_ms && all[k].number < all[first].number))
          first = k;
      if (count.count == 0) return;
      const AwaitedEvent event = all[first];
      if (event.time_ms > end_ms || (event.time_ms == end_ms && !and_then) ||
          !network::arrives_by(step_, event.time_ms, all_.run.dt_ms))
        return;
      all[first] = all[--count.count];
      if (event.is_spike) {
        this->add_spike(event.time_ms, step_);
        continue;
      }
      // Once an event of flag 1 has come, there is nothing to move until the next is sent.
      if (event.flag == 1)
        for (unsigned k = 0; k < count.count; ++k) all[k].is_movable = false;
      if (!receive<B>(block, number, at, event.time_ms, event.flag, event.weight, event.slot))
        return;
    }
  }

  /// False when the run ends. Called from several places: a function of its own where a mechanism
  /// sends events.
  template <class B>
  __device__ __forceinline__ bool receive(const BlockArrays<typename B::E>& block, unsigned number,
                                          const InstanceSlot& at, double time_ms, double flag,
                                          double weight, unsigned slot) {
    if constexpr (B::E::info.sends_events)
      return receive_apart<B>(block, number, at, time_ms, flag, weight, slot);
    else
      return receive_here<B>(block, number, at, time_ms, flag, weight, slot);
  }
  template <class B>
  __device__ __noinline__ bool receive_apart(const BlockArrays<typename B::E>& block,
                                             unsigned number, const InstanceSlot& at,
                                             double time_ms, double flag, double weight,
                                             unsigned slot) {
    return receive_here<B>(block, number, at, time_ms, flag, weight, slot);
  }
  template <class B>
  __device__ __forceinline__ bool receive_here(const BlockArrays<typename B::E>& block,
                                               unsigned number, const InstanceSlot& at,
                                               double time_ms, double flag, double weight,
                                               unsigned slot) {
    using E = typename B::E;
    typename E::template Variables<double> x;  // events are applied in doubles
    load<Program, B>(block, at, this->v(at.r), x);
    double own[E::info.arguments + 1] = {};
    own[0] = weight;
    mechanisms::Delivery delivery;
    delivery.arguments = slot == no_slot ? own : block.arguments + slot;
    delivery.flag = flag;
    if (block.connections_begin) {
      delivery.all_arguments = block.arguments;
      delivery.connections = block.connections + block.connections_begin[at.element];
      delivery.connection_count = static_cast<int>(block.connections_begin[at.element + 1] -
                                                   block.connections_begin[at.element]);
    }
    E::receive(x, this->template instant<double>(this->v(at.r), time_ms), delivery);
    if constexpr (E::info.sets_voltage)
      this->v(at.r) = static_cast<typename Program::Real>(delivery.v_mV);
    constexpr int first = E::info.is_linear ? E::info.first_state() : 0;
    store<B, first, E::info.count()>(block, at, x);
    if constexpr (!E::info.is_linear)
      store_outside<Program, B>(block, at, x, [](const Coupling& coupling) {
        return coupling.writes && coupling.column < E::info.first_assigned();
      });
    if constexpr (B::E::info.sends_events) {
      if (++received_ > most_events)
        return refuse(Failure::Kind::too_many_events, number, at.r, time_ms);
      if (delivery.message_count > 0)
        return handle<B>(block, number, at, delivery, time_ms, weight, slot);
    }
    return true;
  }

  __device__ __forceinline__ bool refuse(Failure::Kind kind, unsigned block, int r,
                                         double time_ms) const {
    this->fail({kind, a_.program, cell_, block, r, time_ms, step_});
    return false;
  }

  template <class B>
  __device__ __forceinline__ bool handle(const BlockArrays<typename B::E>& block, unsigned number,
                                         const InstanceSlot& at,
                                         const mechanisms::Delivery& delivery, double time_ms,
                                         double weight, unsigned slot) {
    using mechanisms::Message;
    using E = typename B::E;
    if (delivery.message_count > mechanisms::Delivery::most_messages)
      return refuse(Failure::Kind::too_many_messages, number, at.r, time_ms);
    bool is_first_watch = true;
    for (int m = 0; m < delivery.message_count; ++m) {
      const Message& message = delivery.messages[m];
      if (message.kind == Message::Kind::watch) {
        if constexpr (E::info.watches > 0) activate<B>(block, at, message, time_ms, is_first_watch);
        is_first_watch = false;
        continue;
      }
      if (message.time_ms - message.time_ms != 0 || message.time_ms < time_ms - 1e-9)
        return refuse(Failure::Kind::not_in_future, number, at.r, time_ms);
      const double when_ms = message.time_ms < time_ms ? time_ms : message.time_ms;
      AwaitedEvent event{when_ms, weight, message.flag, slot, 0, false, message.flag == 1};
      if (message.kind == Message::Kind::spike) {
        if (when_ms <= time_ms) {
          this->add_spike(when_ms, step_);
          continue;
        }
        event = {when_ms, 0, 0, no_slot, 0, true, false};
      } else if (message.kind == Message::Kind::move) {
        if (!take_movable<B>(block, at.element, event))
          return refuse(Failure::Kind::moves_nothing, number, at.r, time_ms);
        event.time_ms = when_ms;
      }
      if (!send<B>(block, at.element, event))
        return refuse(Failure::Kind::too_many_awaited, number, at.r, time_ms);
    }
    return true;
  }

  template <class B>
  __device__ __forceinline__ bool send(const BlockArrays<typename B::E>& block,
                                       unsigned long long element, AwaitedEvent event) {
    AwaitedEvent* const all = block.awaited + element * room_for_awaited;
    AwaitedCount& count = block.awaited_count[element];
    if (count.count == room_for_awaited) return false;
    event.number = count.sent++;
    if (event.is_movable)
      for (unsigned k = 0; k < count.count; ++k) all[k].is_movable = false;
    all[count.count++] = event;
    if (event.time_ms < next_awaited_ms_) next_awaited_ms_ = event.time_ms;
    return true;
  }

  template <class B>
  __device__ __forceinline__ bool take_movable(const BlockArrays<typename B::E>& block,
                                               unsigned long long element, AwaitedEvent& event) {
    AwaitedEvent* const all = block.awaited + element * room_for_awaited;
    AwaitedCount& count = block.awaited_count[element];
    for (unsigned k = 0; k < count.count; ++k)
      if (all[k].is_movable) {
        event = all[k];
        all[k] = all[--count.count];
        return true;
      }
    return false;
  }

  __device__ __forceinline__ void find_next_awaited() {
    next_awaited_ms_ = never_ms;
    for_blocks([&](auto block, const auto& arrays, unsigned) {
      using B = decltype(block);
      if constexpr (B::E::info.sends_events)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          const AwaitedEvent* const all = arrays.awaited + at.element * room_for_awaited;
          for (unsigned k = 0; k < arrays.awaited_count[at.element].count; ++k)
            if (all[k].time_ms < next_awaited_ms_) next_awaited_ms_ = all[k].time_ms;
        });
    });
  }

  template <class B>
  __device__ __forceinline__ bool holds(const BlockArrays<typename B::E>& block,
                                        const InstanceSlot& at, int number, double time_ms) const {
    using E = typename B::E;
    typename E::template Variables<double> x;
    load<Program, B>(block, at, this->v(at.r), x);
    return E::watch(number, x, this->template instant<double>(this->v(at.r), time_ms)) > 0;
  }

  /// The first WATCH of a call ends those of earlier calls.
  template <class B>
  __device__ __forceinline__ void activate(const BlockArrays<typename B::E>& block,
                                           const InstanceSlot& at,
                                           const mechanisms::Message& message, double time_ms,
                                           bool is_first) {
    WatchBits& watches = block.watches[at.element];
    if (is_first) watches.active = watches.held = 0;
    const unsigned bit = 1u << message.number;
    watches.active |= bit;
    if (holds<B>(block, at, message.number, time_ms)) watches.held |= bit;
    block.watch_flags[at.element * B::E::info.watches + message.number] = message.flag;
    watching_ = true;
  }

  /// All of an instance are tested before any event of theirs is applied.
  __device__ __forceinline__ void test_watches(double time_ms) {
    for_blocks([&](auto block, const auto& arrays, unsigned number) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (E::info.watches > 0)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          WatchBits& watches = arrays.watches[at.element];
          unsigned fired = 0;
          double flags[E::info.watches];
          for (int n = 0; n < E::info.watches; ++n) {
            const unsigned bit = 1u << n;
            flags[n] = arrays.watch_flags[at.element * E::info.watches + n];
            if (!(watches.active & bit)) continue;
            const bool now = holds<B>(arrays, at, n, time_ms);
            if (now && !(watches.held & bit)) fired |= bit;
            watches.held = now ? watches.held | bit : watches.held & ~bit;
          }
          for (int n = 0; n < E::info.watches; ++n)
            if (fired & 1u << n) receive<B>(arrays, number, at, time_ms, flags[n], 0, no_slot);
        });
    });
  }

  __device__ __forceinline__ void find_watching() {
    watching_ = false;
    for_blocks([&](auto block, const auto& arrays, unsigned) {
      using B = decltype(block);
      if constexpr (B::E::info.watches > 0)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          watching_ = watching_ || arrays.watches[at.element].active != 0;
        });
    });
  }

  long long step_ = 0;
  const Event* events_ = nullptr;  ///< of connections
  unsigned next_ = 0, end_ = 0;
  unsigned next_step_ = ~0u;  ///< of the next of them
  unsigned received_ = 0;     ///< in this step
  double next_awaited_ms_ = never_ms;
  bool watching_ = false;
};

}  // namespace hillock::simulator::cuda
