// What of a group's events changes during a run.

#include <algorithm>
#include <utility>

#include "simulator/backends/cpu/events/event_delivery.hpp"

namespace hillock::simulator::cpu {

namespace {

using begin::AwaitedEvent;

/// The first instance of a block in the cell's pack: those of a cell are counted from there.
std::uint32_t first_instance(const GroupLayout& group, std::size_t block, std::size_t cell) {
  return group.blocks[block].first_of_pack[cell / group.width()];
}

AwaitedEvent awaited_of(const GroupLayout& group, const SelfEvents::Sent& sent, std::size_t cell,
                        std::uint64_t rank) {
  const auto& [time_ms, kind, target, weight, flag] = sent.event;
  AwaitedEvent one;
  one.rank = rank;
  one.time_ms = time_ms;
  one.instance = target.instance - first_instance(group, target.block, cell);
  one.weight = weight;
  one.flag = flag;
  one.is_spike = kind == SelfEvent::Kind::spike;
  one.is_movable = sent.is_movable;
  if (target.slot == InstanceTarget::no_slot) return one;
  const MechanismBlock& block = group.blocks[target.block];
  const auto first = block.connections.begin() +
                     block.first_connection[target.instance * group.width() + target.lane];
  one.connection =
      static_cast<std::uint64_t>(std::find(first, block.connections.end(), target.slot) - first);
  return one;
}

SelfEvents::Sent sent_of(const GroupLayout& group, const AwaitedEvent& one, std::size_t b,
                         std::size_t cell) {
  InstanceTarget target{static_cast<std::uint16_t>(b),
                        static_cast<std::uint16_t>(cell % group.width()),
                        static_cast<std::uint32_t>(first_instance(group, b, cell) + one.instance),
                        InstanceTarget::no_slot};
  const MechanismBlock& block = group.blocks[b];
  if (one.connection != AwaitedEvent::no_connection)
    target.slot = block.connections.at(
        block.first_connection.at(target.instance * group.width() + target.lane) + one.connection);
  return {{one.time_ms, one.is_spike ? SelfEvent::Kind::spike : SelfEvent::Kind::deliver, target,
           one.weight, one.flag},
          one.is_movable};
}

}  // namespace

std::string EventDelivery::column_of(std::size_t block, const char* what) const {
  return group_.blocks[block].mechanism->signature.name + '/' + what;
}

void EventDelivery::walk(StateWalk& state, std::span<const CellSlots> slots) {
  if (state.is_saving()) number_watches(slots);
  for (std::size_t b = 0; b < kernels_.size(); ++b) {
    if (!group_.blocks[b].first_connection.empty()) walk_arguments(state, b, slots[b]);
    if (group_.blocks[b].mechanism->info->watches > 0) walk_watches(state, b, slots[b]);
  }
  walk_own(state);
}

void EventDelivery::walk_arguments(StateWalk& state, std::size_t b, const CellSlots& slots) {
  MechanismBlock& block = group_.blocks[b];
  const auto count = static_cast<std::size_t>(block.mechanism->info->arguments);
  state.column(column_of(b, "arguments"), [&](std::size_t cell) {
    for (const std::size_t slot : slots.of(cell))
      for (std::uint32_t c = block.first_connection[slot]; c < block.first_connection[slot + 1];
           ++c)
        for (std::size_t a = 0; a < count; ++a)
          state.number(block.arguments[block.connections[c] + a]);
  });
}

/// Ranks of a cell's active WATCHes count from 0 on, whoever shares its group.
void EventDelivery::number_watches(std::span<const CellSlots> slots) {
  for (std::size_t cell = 0; cell < group_.indices.size(); ++cell) {
    std::vector<step::ActiveWatch*> active;
    for (std::size_t b = 0; b < watches_.size(); ++b) {
      if (watches_[b].bits.empty()) continue;
      const auto count = static_cast<std::size_t>(group_.blocks[b].mechanism->info->watches);
      for (const std::size_t slot : slots[b].of(cell))
        for (std::size_t n = 0; n < count; ++n) {
          step::ActiveWatch& watch = watches_[b].all[slot * count + n];
          if (watches_[b].bits[slot].active & 1u << n)
            active.push_back(&watch);
          else
            watch.rank = 0;
        }
    }
    std::ranges::sort(active, {}, &step::ActiveWatch::rank);
    for (std::size_t rank = 0; rank < active.size(); ++rank) active[rank]->rank = rank;
  }
}

void EventDelivery::walk_watches(StateWalk& state, std::size_t b, const CellSlots& slots) {
  const auto count = static_cast<std::size_t>(group_.blocks[b].mechanism->info->watches);
  state.column(column_of(b, "watch"), [&](std::size_t cell) {
    for (const std::size_t slot : slots.of(cell)) {
      step::WatchBits& bits = watches_[b].bits[slot];
      state.count(bits.active);
      state.count(bits.held);
      for (std::size_t n = 0; n < count; ++n) {
        step::ActiveWatch& watch = watches_[b].all[slot * count + n];
        state.number(watch.flag);
        state.count(watch.rank);
        activated_ = std::max(activated_, watch.rank + 1);
      }
      watching_ = watching_ || bits.active != 0;
    }
  });
}

std::vector<std::vector<std::vector<AwaitedEvent>>> EventDelivery::awaited() const {
  const std::size_t cells = group_.indices.size();
  std::vector<std::vector<std::vector<AwaitedEvent>>> awaited(
      kernels_.size(), std::vector<std::vector<AwaitedEvent>>(cells));
  std::vector<std::uint64_t> sent(cells);
  for (const SelfEvents::Sent& one : own_.all()) {
    const std::size_t cell = cell_of(one.event.target);
    awaited[one.event.target.block][cell].push_back(awaited_of(group_, one, cell, sent[cell]++));
  }
  return awaited;
}

void EventDelivery::walk_own(StateWalk& state) {
  auto awaited = this->awaited();
  std::vector<std::pair<std::uint64_t, SelfEvents::Sent>> ranked;
  for (std::size_t b = 0; b < kernels_.size(); ++b) {
    if (!kernels_[b]->receive || !group_.blocks[b].mechanism->info->is_point_process) continue;
    state.column(column_of(b, "awaited"), [&](std::size_t cell) {
      if (!state.is_saving()) awaited[b][cell].resize(state.left() / begin::numbers_of_awaited);
      for (AwaitedEvent& one : awaited[b][cell]) {
        walk_over(state, one);
        if (!state.is_saving()) ranked.emplace_back(one.rank, sent_of(group_, one, b, cell));
      }
    });
  }
  if (state.is_saving()) return;
  std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.first; });
  std::vector<SelfEvents::Sent> all;
  for (auto& [rank, one] : ranked) all.push_back(one);
  own_.replace(all);
}

}  // namespace hillock::simulator::cpu
