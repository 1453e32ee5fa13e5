#include "simulator/backends/cpu/events/event_delivery.hpp"

#include <algorithm>
#include <functional>

#include "core/errors/errors.hpp"
#include "simulator/backends/cpu/events/event_buffers.hpp"
#include "simulator/step/refusal_text.hpp"

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
    if (info.watches == 0) continue;
    watches_[b].bits.resize(group_.blocks[b].count * lanes_);
    watches_[b].all.resize(watches_[b].bits.size() * static_cast<std::size_t>(info.watches));
  }
  no_arguments_.resize(static_cast<std::size_t>(most_arguments));
  additions_.resize(group_.blocks.size());
  for (std::size_t b = 0; b < additions_.size(); ++b)
    additions_[b].is_kept = kernels_[b]->receive_all && !group_.blocks[b].is_pointed_at;
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
        if (is_there(target)) step::answer(*this, target, event, 0, 0);
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
          step::answer(*this, target, event, 0, 0);
        }
      });
  while (next_own_ms() <= 0) receive_own();
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
  step_ = step;
  add_up(step);
  if (received_ > 0) begin_count();
  step::deliver(*this, step, run_.boundaries());
}

void EventDelivery::receive_connection() {
  const GroupEvent& event = events_[next_++];
  receive(event.target, event.time_ms, 0, event.weight);
}

bool EventDelivery::receive_own() {
  const SelfEvent event = own_.take();
  if (event.kind == SelfEvent::Kind::spike)
    spike(event.target, event.time_ms);
  else
    receive(event.target, event.time_ms, event.flag, event.weight);
  return true;
}

void EventDelivery::test_watches(double now_ms) {
  for (std::size_t b = 0; b < watches_.size(); ++b) {
    if (watches_[b].bits.empty()) continue;
    const int count = group_.blocks[b].mechanism->info->watches;
    for_each_instance(b, [&](const InstanceTarget& target) {
      const std::size_t slot = target.instance * lanes_ + target.lane;
      step::WatchBits& bits = watches_[b].bits[slot];
      if (!step::test(bits, count, [&](int n) { return condition(target, n, now_ms); })) return;
      for (int n = 0; n < count; ++n)
        if (bits.fired & 1u << n)
          fired_.push_back({active_watch(target, n).rank, target, static_cast<std::uint32_t>(n)});
    });
  }
  std::ranges::sort(fired_, std::greater{}, &Fired::rank);
}

bool EventDelivery::receive_fired(double now_ms) {
  while (!fired_.empty()) {
    const Fired first = fired_.back();
    fired_.pop_back();
    unsigned& fired =
        watches_[first.target.block].bits[first.target.instance * lanes_ + first.target.lane].fired;
    const unsigned bit = 1u << first.number;
    if (!(fired & bit)) continue;  // ended by another event
    fired &= ~bit;
    receive(first.target, now_ms, active_watch(first.target, static_cast<int>(first.number)).flag,
            0);
    return true;
  }
  return false;
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
  if (event.message_count > 0) step::answer(*this, target, event, time_ms, weight);
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
  refuse(first, time_ms, step::Refusal::too_many_events);
}

bool EventDelivery::refuse(const Instance& instance, double time_ms, step::Refusal refusal) const {
  fail(instance, time_ms, step::text_of(refusal, 0));
}

void EventDelivery::watch(const Instance& instance, const Message& message, bool is_first) {
  step::activate(watches_[instance.block].bits[instance.instance * lanes_ + instance.lane], message,
                 is_first);
  active_watch(instance, message.number) = {message.flag, activated_++};
  watching_ = true;
}

bool EventDelivery::send(const Instance& instance, const step::OwnEvent& event) {
  own_.send({event.time_ms, event.is_spike ? SelfEvent::Kind::spike : SelfEvent::Kind::deliver,
             instance, event.weight, event.flag});
  return true;
}

bool EventDelivery::move(const Instance& instance, double time_ms) {
  return own_.move(instance, time_ms);
}

void EventDelivery::spike(const Instance& instance, double time_ms) {
  spikes_->push_back({time_ms, group_.id_of(cell_of(instance))});
}

step::ActiveWatch& EventDelivery::active_watch(const InstanceTarget& target, int number) {
  const auto count = static_cast<std::size_t>(group_.blocks[target.block].mechanism->info->watches);
  return watches_[target.block]
      .all[(target.instance * lanes_ + target.lane) * count + static_cast<std::size_t>(number)];
}

double EventDelivery::condition(const InstanceTarget& target, int number, double time_ms) const {
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
