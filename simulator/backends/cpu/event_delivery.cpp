#include "simulator/backends/cpu/event_delivery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "network/events.hpp"
#include "simulator/backends/cpu/event_buffers.hpp"

namespace hillock::simulator::cpu {

using mechanisms::Delivery;
using mechanisms::Message;

namespace {

/// More of them in one step never end: an instance answers its own events at once.
constexpr std::uint64_t most_events = 1'000'000;

}  // namespace

EventDelivery::EventDelivery(GroupLayout& group, const RunConstants& run,
                             const std::vector<mechanisms::InstanceBlock>& views,
                             const std::vector<const mechanisms::CpuKernels*>& kernels)
    : group_(group),
      run_(run),
      views_(views),
      kernels_(kernels),
      lanes_(static_cast<std::size_t>(group.lanes)),
      watches_(group.blocks.size()) {
  int most_arguments = 1;
  for (std::size_t b = 0; b < group_.blocks.size(); ++b) {
    const mechanisms::MechanismInfo& info = *group_.blocks[b].mechanism->info;
    most_arguments = std::max(most_arguments, info.arguments);
    if (info.watches > 0) watches_[b].resize(group_.blocks[b].count * lanes_);
    for (Watches& watches : watches_[b])
      watches.flags.resize(static_cast<std::size_t>(info.watches));
  }
  no_arguments_.resize(static_cast<std::size_t>(most_arguments));
  additions_.resize(group_.blocks.size());
  for (std::size_t b = 0; b < additions_.size(); ++b)
    additions_[b].is_kept = group_.blocks[b].mechanism->kernels(group_.lanes).receive_all &&
                            !group_.blocks[b].is_pointed_at;
}

template <class Body>
void EventDelivery::for_each_instance(std::size_t block, const Body& body) const {
  for (std::size_t i = 0; i < group_.blocks[block].count; ++i)
    for (std::size_t l = 0; l < lanes_; ++l)
      body(InstanceTarget{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(l),
                          static_cast<std::uint32_t>(i), InstanceTarget::no_slot});
}

void EventDelivery::start(double* v, std::vector<network::CellSpike>& spikes) {
  v_ = v;
  spikes_ = &spikes;
  for (std::size_t b = 0; b < kernels_.size(); ++b)
    if (kernels_[b]->start)
      for_each_instance(b, [&](const InstanceTarget& target) {
        Delivery event = delivery_to(target, 0, 0);
        kernels_[b]->start(views_[b], target.instance, target.lane, at(0), v_, event);
        // Instances that only fill a lane are set, but send nothing.
        if (is_there(target)) handle(event, target, 0, 0);
      });
  for (std::size_t b = 0; b < kernels_.size(); ++b)
    if (kernels_[b]->connect)
      for_each_instance(b, [&](InstanceTarget target) {
        const MechanismBlock& block = group_.blocks[b];
        const std::size_t slot = target.instance * lanes_ + target.lane;
        for (std::uint32_t c = block.first_connection[slot]; c < block.first_connection[slot + 1];
             ++c) {
          target.slot = block.connections[c];
          Delivery event = delivery_to(target, 0, 0);
          kernels_[b]->connect(views_[b], target.instance, target.lane, at(0), v_, event);
          handle(event, target, 0, 0);
        }
      });
  while (!own_.empty() && own_.next_ms() <= 0) {
    const SelfEvent event = own_.take();
    receive(event.target, event.time_ms, event.flag, event.weight);
  }
}

void EventDelivery::begin_epoch(std::int64_t first) {
  first_step_ = first;
}

void EventDelivery::give_back(EventBuffers& buffers) {
  buffers.give_back(events_);
  next_ = 0;
  for (Additions& additions : additions_) {
    buffers.give_back(additions.events);
    additions.next = 0;
  }
}

/// Applies what arrives at the boundary and only adds to states.
void EventDelivery::add_up(std::int64_t step) {
  const std::int64_t number = step - first_step_;
  for (std::size_t b = 0; b < additions_.size(); ++b) {
    Additions& additions = additions_[b];
    const std::size_t begin = additions.next;
    std::size_t end = begin;
    while (end < additions.events.size() && additions.events[end].step <= number) ++end;
    if (end == begin) continue;
    additions.next = end;
    kernels_[b]->receive_all(views_[b], additions.events.data() + begin, end - begin,
                             at(static_cast<double>(step) * run_.dt_ms), v_);
  }
}

void EventDelivery::deliver(std::int64_t step, double* v, std::vector<network::CellSpike>& spikes) {
  v_ = v;
  spikes_ = &spikes;
  add_up(step);
  if (received_ > 0) begin_count();
  if (watching_) {
    const double now_ms = static_cast<double>(step) * run_.dt_ms;
    deliver_until(step, now_ms + 1e-6 * run_.dt_ms);  // times are sums of steps and delays
    test_watches(now_ms);
  }
  deliver_until(step, std::numeric_limits<double>::infinity());
}

/// What arrives at the boundary, no later than last_ms.
void EventDelivery::deliver_until(std::int64_t step, double last_ms) {
  for (;;) {
    const bool has_event =
        next_ < events_.size() && events_[next_].step <= step && events_[next_].time_ms <= last_ms;
    const bool has_own = !own_.empty() && own_.next_ms() <= last_ms &&
                         network::arrives_by(step, own_.next_ms(), run_.dt_ms);
    if (has_event && (!has_own || events_[next_].time_ms <= own_.next_ms())) {
      const GroupEvent& event = events_[next_++];
      receive(event.target, event.time_ms, 0, event.weight);
    } else if (has_own) {
      const SelfEvent event = own_.take();
      if (event.kind == SelfEvent::Kind::spike)
        spikes_->push_back({event.time_ms, group_.id_of(cell_of(event.target))});
      else
        receive(event.target, event.time_ms, event.flag, event.weight);
    } else {
      return;
    }
  }
}

/// All are tested before any event of theirs is applied.
void EventDelivery::test_watches(double time_ms) {
  std::vector<Fired> fired;
  for (std::size_t b = 0; b < watches_.size(); ++b) {
    if (watches_[b].empty()) continue;
    for_each_instance(b, [&](const InstanceTarget& target) {
      Watches& watches = watches_[b][target.instance * lanes_ + target.lane];
      for (std::size_t n = 0; n < watches.flags.size(); ++n) {
        const std::uint32_t bit = std::uint32_t{1} << n;
        if (!(watches.active & bit)) continue;
        const bool now = holds(target, static_cast<int>(n), time_ms);
        if (now && !(watches.held & bit)) fired.push_back({target, watches.flags[n]});
        watches.held = now ? watches.held | bit : watches.held & ~bit;
      }
    });
  }
  for (const Fired& event : fired) receive(event.target, time_ms, event.flag, 0);
}

void EventDelivery::receive(const InstanceTarget& target, double time_ms, double flag,
                            double weight) {
  if (++received_ > most_events) count(target, time_ms);
  Delivery event = delivery_to(target, flag, weight);
  kernels_[target.block]->receive(views_[target.block], target.instance, target.lane, at(time_ms),
                                  v_, event);
  if (group_.blocks[target.block].mechanism->info->sets_voltage)
    v_[static_cast<std::size_t>(
           group_.blocks[target.block].nodes[target.instance * lanes_ + target.lane]) *
           lanes_ +
       target.lane] = event.v_mV;
  if (event.message_count > 0) handle(event, target, time_ms, weight);
}

void EventDelivery::begin_count() {
  if (received_ > most_events) received_by_.clear();
  received_ = 0;
}

/// Looks closely only at steps with very many events, so that others pay nothing for it.
void EventDelivery::count(const InstanceTarget& target, double time_ms) {
  if (++received_by_[{target.block, target.lane, target.instance}] <= most_events) return;
  // Of several that take turns the first cell's is named, whoever shares the group.
  InstanceTarget first = target;
  for (const auto& [instance, received] : received_by_) {
    const auto& [block, lane, number] = instance;
    const InstanceTarget other{block, lane, number, InstanceTarget::no_slot};
    if (received >= most_events && cell_of(other) < cell_of(first)) first = other;
  }
  fail(first, time_ms,
       "is called more than a million times in one step (does it send itself events that arrive "
       "at once?)");
}

void EventDelivery::handle(const Delivery& event, const InstanceTarget& target, double time_ms,
                           double weight) {
  if (event.message_count > Delivery::most_messages)
    fail(target, time_ms,
         fmt::format("asks for more than {} events at once", Delivery::most_messages));
  bool is_first_watch = true;
  for (int m = 0; m < event.message_count; ++m) {
    const Message& message = event.messages[m];
    if (message.kind == Message::Kind::watch) {
      activate(message, target, time_ms, is_first_watch);
      is_first_watch = false;
      continue;
    }
    if (!std::isfinite(message.time_ms) || message.time_ms < time_ms - 1e-9)
      fail(target, time_ms,
           fmt::format("asks for an event at {:.6g} ms, which is not in the future",
                       message.time_ms));
    const double when_ms = std::max(message.time_ms, time_ms);
    if (message.kind == Message::Kind::self)
      own_.send({when_ms, SelfEvent::Kind::deliver, target, weight, message.flag});
    else if (message.kind == Message::Kind::spike && when_ms > time_ms)
      own_.send({when_ms, SelfEvent::Kind::spike, target, 0, 0});
    else if (message.kind == Message::Kind::spike)
      spikes_->push_back({when_ms, group_.id_of(cell_of(target))});
    else if (!own_.move(target, when_ms))
      fail(target, time_ms, "moves its event of flag 1 (net_move), but awaits none");
  }
}

/// The first WATCH of a call ends those of earlier calls. Whether the condition holds is looked at
/// when NET_RECEIVE is over.
void EventDelivery::activate(const Message& message, const InstanceTarget& target, double time_ms,
                             bool is_first) {
  Watches& watches = watches_[target.block][target.instance * lanes_ + target.lane];
  if (is_first) watches.active = watches.held = 0;
  const std::uint32_t bit = std::uint32_t{1} << message.number;
  watches.active |= bit;
  if (holds(target, message.number, time_ms)) watches.held |= bit;
  watches.flags[static_cast<std::size_t>(message.number)] = message.flag;
  watching_ = true;
}

bool EventDelivery::holds(const InstanceTarget& target, int number, double time_ms) const {
  return kernels_[target.block]->watch(views_[target.block], target.instance, target.lane,
                                       at(time_ms), v_, number);
}

double* EventDelivery::arguments_of(const InstanceTarget& target, double weight) {
  if (target.slot != InstanceTarget::no_slot)
    return group_.blocks[target.block].arguments.data() + target.slot;
  std::fill(no_arguments_.begin(), no_arguments_.end(), 0);
  no_arguments_[0] = weight;
  return no_arguments_.data();
}

Delivery EventDelivery::delivery_to(const InstanceTarget& target, double flag, double weight) {
  MechanismBlock& block = group_.blocks[target.block];
  Delivery event;
  event.arguments = arguments_of(target, weight);
  event.flag = flag;
  if (!block.first_connection.empty()) {
    const std::size_t slot = target.instance * lanes_ + target.lane;
    event.all_arguments = block.arguments.data();
    event.connections = block.connections.data() + block.first_connection[slot];
    event.connection_count =
        static_cast<int>(block.first_connection[slot + 1] - block.first_connection[slot]);
  }
  return event;
}

bool EventDelivery::is_there(const InstanceTarget& target) const {
  const MechanismBlock& block = group_.blocks[target.block];
  if (!block.is_there.empty()) return block.is_there[target.instance * lanes_ + target.lane] != 0;
  return group_.is_used(row_of(target) % group_.packs, target.lane);
}

std::size_t EventDelivery::row_of(const InstanceTarget& target) const {
  const MechanismBlock& block = group_.blocks[target.block];
  const bool is_point = block.mechanism->info->is_point_process;
  return static_cast<std::size_t>(
      block.nodes[is_point ? target.instance * lanes_ + target.lane : target.instance]);
}

void EventDelivery::fail(const InstanceTarget& target, double time_ms,
                         const std::string& problem) const {
  const MechanismBlock& block = group_.blocks[target.block];
  throw NumericalFailure({time_ms, group_.population->name, group_.indices[cell_of(target)],
                          group_.describe(row_of(target), target.lane)},
                         "NET_RECEIVE of " + block.mechanism->signature.name + ' ' + problem);
}

}  // namespace hillock::simulator::cpu
