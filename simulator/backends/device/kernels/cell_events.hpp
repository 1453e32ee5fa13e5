#pragma once
// Events of one cell: a thread is a store of step/instance_events.hpp for the rows that it owns.

#include "simulator/backends/device/kernels/cell_context.hpp"
#include "simulator/step/instance_events.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class CellEvents : public CellContext<Program> {
  using Context = CellContext<Program>;

 protected:
  using Context::a_;
  using Context::all_;
  using Context::cell_;

 public:
  using Context::Context;

  /// Who asks for something.
  template <class B>
  struct Asking {
    using Block = B;
    const BlockArrays<typename B::E>& block;
    unsigned number;  ///< of the block
    InstanceSlot at;
    unsigned slot;  ///< of the connection whose event it heard of
  };

  // As step/instance_events.hpp asks for.
  static constexpr bool sends = Program::sends, has_watches = Program::watches;

  __device__ __forceinline__ double next_connection_ms() const {
    return next_step_ <= number_ ? events_[next_].time_ms : step::none;
  }
  __device__ __forceinline__ void receive_connection() {
    const Event event = events_[next_++];
    next_step_ = next_ < end_ ? events_[next_].step : ~0u;
    with_block(event.block, [&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::E::info.receives_events) {
        const InstanceSlot at = this->slot_of(arrays, event.instance);
        if (this->owns(at.r))
          receive<B>({arrays, event.block, at, event.slot}, event.time_ms, 0, event.weight);
      }
    });
  }
  __device__ __forceinline__ double next_own_ms() const { return next_own_ms_; }
  __device__ __noinline__ bool receive_own() {
    bool goes_on = true;
    const OwnPlace first = first_own();
    with_sending(first.block, [&](auto block, const auto& arrays) {
      using B = decltype(block);
      AwaitedEvent* const all = arrays.awaited + first.element * room_for_awaited;
      const AwaitedEvent event = all[first.place];
      all[first.place] = all[--arrays.awaited_count[first.element]];
      if (event.is_spike) {
        this->add_spike(event.time_ms, step_);
        return;
      }
      // Once an event of flag 1 has come, there is nothing to move until the next is sent.
      if (event.flag == 1) forget_movable(arrays, first.element);
      const InstanceSlot at = this->slot_of(arrays, first.instance);
      goes_on = receive<B>({arrays, first.block, at, event.slot}, event.time_ms, event.flag,
                           event.weight);
    });
    find_next_own();
    return goes_on;
  }

  __device__ __forceinline__ bool is_watching() const { return watching_; }
  __device__ __forceinline__ void test_watches(double now_ms) {
    has_fired_ = false;
    for_watching([&](auto block, const auto& arrays, unsigned, const InstanceSlot& at) {
      using B = decltype(block);
      has_fired_ |= step::test(arrays.watch_bits[at.element], B::E::info.watches,
                               [&](int n) { return condition<B>(arrays, at, n, now_ms); });
    });
  }
  __device__ __noinline__ bool receive_fired(double now_ms) {
    if (!has_fired_) return false;
    unsigned long long rank = ~0ull;
    for_watching([&](auto block, const auto& arrays, unsigned, const InstanceSlot& at) {
      constexpr int watches = decltype(block)::E::info.watches;
      for (int n = 0; n < watches; ++n)
        if (arrays.watch_bits[at.element].fired & 1u << n)
          if (const auto& watch = arrays.watches[at.element * watches + n]; watch.rank < rank)
            rank = watch.rank;
    });
    if (rank == ~0ull) return false;
    bool is_found = false;
    for_watching([&](auto block, const auto& arrays, unsigned number, const InstanceSlot& at) {
      using B = decltype(block);
      step::WatchBits& bits = arrays.watch_bits[at.element];
      for (int n = 0; n < B::E::info.watches && !is_found; ++n) {
        const step::ActiveWatch watch = arrays.watches[at.element * B::E::info.watches + n];
        if (!(bits.fired & 1u << n) || watch.rank != rank) continue;
        is_found = true;
        bits.fired &= ~(1u << n);
        receive<B>({arrays, number, at, no_slot}, now_ms, watch.flag, 0);
      }
    });
    return true;
  }

  template <class Who>
  __device__ __forceinline__ bool refuse(const Who& who, double time_ms,
                                         step::Refusal refusal) const {
    this->fail(
        {Failure::Kind::refused, a_.program, cell_, who.number, who.at.r, time_ms, step_, refusal});
    return false;
  }
  template <class Who>
  __device__ __forceinline__ void watch(const Who& who, const mechanisms::Message& message,
                                        bool is_first) {
    using B = typename Who::Block;
    constexpr int watches = B::E::info.watches;
    if constexpr (watches > 0) {
      step::activate(who.block.watch_bits[who.at.element], message, is_first);
      who.block.watches[who.at.element * watches + message.number] = {message.flag, activated_++};
      watching_ = true;
    }
  }
  template <class Who>
  __device__ __forceinline__ bool send(const Who& who, const step::OwnEvent& event) {
    const unsigned slot = event.is_spike ? no_slot : who.slot;
    return await(who, {event.time_ms, event.weight, event.flag, slot, 0, event.is_spike,
                       !event.is_spike && event.flag == 1});
  }
  template <class Who>
  __device__ __forceinline__ bool move(const Who& who, double time_ms) {
    const unsigned long long element = who.at.element;
    AwaitedEvent* const all = who.block.awaited + element * room_for_awaited;
    unsigned& count = who.block.awaited_count[element];
    for (unsigned k = 0; k < count; ++k) {
      if (!all[k].is_movable) continue;
      AwaitedEvent event = all[k];
      all[k] = all[--count];
      event.time_ms = time_ms;
      await(who, event);
      find_next_own();
      return true;
    }
    return false;
  }
  template <class Who>
  __device__ __forceinline__ void spike(const Who&, double time_ms) {
    this->add_spike(time_ms, step_);
  }

  /// Applies what arrives at the boundary before a step.
  __device__ __forceinline__ void deliver(long long step) {
    step_ = step;
    number_ = static_cast<unsigned>(step - first_step_);
    received_ = 0;
    step::deliver(*this, step, all_.run);
  }

 protected:
  /// first: the epoch's first step.
  __device__ __forceinline__ void begin_events(const EpochEvents& events, long long first) {
    first_step_ = first;
    events_ = events.events;
    next_ = events.begin ? events.begin[cell_] : 0;
    end_ = events.begin ? events.end[cell_] : 0;
    next_step_ = next_ < end_ ? events_[next_].step : ~0u;
    if constexpr (Program::sends) {
      for_awaited([&](const AwaitedEvent& event, const OwnPlace&) {
        if (event.number >= sent_) sent_ = event.number + 1;
      });
      find_next_own();
    }
    if constexpr (Program::watches) find_watching();
  }

 private:
  static constexpr unsigned most_events = 1000000;

  /// Where an awaited event lies.
  struct OwnPlace {
    unsigned block, instance;
    unsigned long long element;
    unsigned place;
  };

  template <class Body>
  __device__ __forceinline__ void with_block(unsigned wanted, const Body& body) const {
    unsigned number = 0;
    all_.blocks.each([&](auto block, const auto& arrays) {
      if (number == wanted) body(block, arrays);
      ++number;
    });
  }
  /// As with_block, of one that sends events.
  template <class Body>
  __device__ __forceinline__ void with_sending(unsigned wanted, const Body& body) const {
    with_block(wanted, [&](auto block, const auto& arrays) {
      if constexpr (decltype(block)::E::info.sends_events) body(block, arrays);
    });
  }
  /// Calls body(Block, arrays, its number).
  template <class Body>
  __device__ __forceinline__ void for_blocks(const Body& body) const {
    unsigned number = 0;
    all_.blocks.each([&](auto block, const auto& arrays) { body(block, arrays, number++); });
  }
  /// Calls body(Block, arrays, its number, InstanceSlot) for this thread's instances with WATCH.
  template <class Body>
  __device__ __forceinline__ void for_watching(const Body& body) const {
    for_blocks([&](auto block, const auto& arrays, unsigned number) {
      using B = decltype(block);
      if constexpr (B::E::info.watches > 0)
        this->template for_own<B>(arrays,
                                  [&](const InstanceSlot& at) { body(block, arrays, number, at); });
    });
  }
  /// Calls body(AwaitedEvent, OwnPlace) for all that this thread's instances await.
  template <class Body>
  __device__ __forceinline__ void for_awaited(const Body& body) const {
    for_blocks([&](auto block, const auto& arrays, unsigned number) {
      using B = decltype(block);
      if constexpr (B::E::info.sends_events)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          const AwaitedEvent* const all = arrays.awaited + at.element * room_for_awaited;
          for (unsigned k = 0; k < arrays.awaited_count[at.element]; ++k)
            body(all[k], OwnPlace{number, at.instance, at.element, k});
        });
    });
  }

  __device__ __forceinline__ OwnPlace first_own() const {
    OwnPlace first{};
    double time_ms = step::none;
    unsigned long long number = 0;
    for_awaited([&](const AwaitedEvent& event, const OwnPlace& place) {
      if (event.time_ms > time_ms || (event.time_ms == time_ms && event.number > number)) return;
      first = place;
      time_ms = event.time_ms;
      number = event.number;
    });
    return first;
  }
  __device__ __forceinline__ void find_next_own() {
    next_own_ms_ = step::none;
    for_awaited([&](const AwaitedEvent& event, const OwnPlace&) {
      if (event.time_ms < next_own_ms_) next_own_ms_ = event.time_ms;
    });
  }

  /// False when the run ends. Called from several places: a function of its own where a mechanism
  /// sends events.
  template <class B>
  __device__ __forceinline__ bool receive(const Asking<B>& who, double time_ms, double flag,
                                          double weight) {
    if constexpr (B::E::info.sends_events)
      return receive_apart<B>(who, time_ms, flag, weight);
    else
      return receive_here<B>(who, time_ms, flag, weight);
  }
  template <class B>
  __device__ __noinline__ bool receive_apart(const Asking<B>& who, double time_ms, double flag,
                                             double weight) {
    return receive_here<B>(who, time_ms, flag, weight);
  }
  template <class B>
  __device__ __forceinline__ bool receive_here(const Asking<B>& who, double time_ms, double flag,
                                               double weight) {
    const BlockArrays<typename B::E>& block = who.block;
    const InstanceSlot& at = who.at;
    using E = typename B::E;
    typename E::template Variables<double> x;  // events are applied in doubles
    load<Program, B>(block, at, this->v(at.r), x);
    double own[E::info.arguments + 1] = {};
    own[0] = weight;
    mechanisms::Delivery delivery;
    delivery.arguments = who.slot == no_slot ? own : block.arguments + who.slot;
    delivery.flag = flag;
    if (block.connections_begin) {
      delivery.all_arguments = block.arguments;
      delivery.connections = block.connections + block.connections_begin[at.element];
      delivery.connection_count = static_cast<int>(block.connections_begin[at.element + 1] -
                                                   block.connections_begin[at.element]);
    }
    E::receive(x, this->template instant<double>(this->v(at.r), time_ms), delivery);
    if constexpr (E::info.sets_voltage)
      this->v(at.r) = this->v_between(at.r) = static_cast<typename Program::Real>(delivery.v_mV);
    constexpr int first = E::info.is_linear ? E::info.first_state() : 0;
    store<B, first, E::info.count()>(block, at, x);
    if constexpr (!E::info.is_linear)
      store_outside<Program, B>(block, at, x, [](const Coupling& coupling) {
        return coupling.writes && coupling.column < E::info.first_assigned();
      });
    if constexpr (B::E::info.sends_events) {
      if (++received_ > most_events) return refuse(who, time_ms, step::Refusal::too_many_events);
      if (delivery.message_count > 0) return step::answer(*this, who, delivery, time_ms, weight);
    }
    return true;
  }

  /// False where there is no room.
  template <class Who>
  __device__ __forceinline__ bool await(const Who& who, AwaitedEvent event) {
    const unsigned long long element = who.at.element;
    unsigned& count = who.block.awaited_count[element];
    if (count == room_for_awaited) return false;
    event.number = sent_++;
    if (event.is_movable) forget_movable(who.block, element);
    who.block.awaited[element * room_for_awaited + count++] = event;
    if (event.time_ms < next_own_ms_) next_own_ms_ = event.time_ms;
    return true;
  }
  template <class E>
  __device__ __forceinline__ static void forget_movable(const BlockArrays<E>& block,
                                                        unsigned long long element) {
    AwaitedEvent* const all = block.awaited + element * room_for_awaited;
    for (unsigned k = 0; k < block.awaited_count[element]; ++k) all[k].is_movable = false;
  }

  template <class B>
  __device__ __forceinline__ double condition(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, int number,
                                              double time_ms) const {
    using E = typename B::E;
    typename E::template Variables<double> x;
    load<Program, B>(block, at, this->v(at.r), x);
    return E::watch(number, x, this->template instant<double>(this->v(at.r), time_ms));
  }

  __device__ __forceinline__ void find_watching() {
    watching_ = false;
    for_watching([&](auto block, const auto& arrays, unsigned, const InstanceSlot& at) {
      constexpr int watches = decltype(block)::E::info.watches;
      if (arrays.watch_bits[at.element].active == 0) return;
      watching_ = true;
      for (int n = 0; n < watches; ++n)
        if (const auto rank = arrays.watches[at.element * watches + n].rank; rank >= activated_)
          activated_ = rank + 1;
    });
  }

  long long first_step_ = 0;  ///< of the epoch
  long long step_ = 0;
  unsigned number_ = 0;            ///< of the step in its epoch
  const Event* events_ = nullptr;  ///< of connections
  unsigned next_ = 0, end_ = 0;
  unsigned next_step_ = ~0u;  ///< of the next of them
  unsigned received_ = 0;     ///< in this step
  double next_own_ms_ = step::none;
  unsigned long long sent_ = 0;       ///< numbers of what is awaited are below
  unsigned long long activated_ = 0;  ///< and ranks of active WATCHes
  bool watching_ = false;
  bool has_fired_ = false;
};

}  // namespace hillock::simulator::on_device
