#include "simulator/plasticity/plastic_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/containers/memory_size.hpp"
#include "network/events.hpp"
#include "simulator/plasticity/plastic_state.hpp"

namespace hillock::simulator {

PlasticTable::PlasticTable(const network::FanInTable& from, std::size_t neurons,
                           const models::PointStep& step, const network::SumGrid& grid,
                           const models::Stdp& stdp)
    : projection_(from.projection),
      dt_ms_(step.ms),
      grid_(grid),
      synapses_(std::vector{network::SynapsePart{&from, 0}}, step),
      tables_(stdp, step.ms),
      rule_(tables_.rule()),
      targets_(neurons),
      sources_(synapses_.source_count),
      due_(std::bit_ceil(static_cast<std::size_t>(synapses_.longest_steps) + 1)) {}

/// A source's spikes are taken in the order of their time, whatever order they come in.
void PlasticTable::receive(std::span<const std::vector<network::CellSpike>> spikes,
                           std::int64_t now) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> own;
  for (const auto& some : spikes)
    for (const network::CellSpike& spike : some) {
      const std::uint64_t source = spike.cell.value - synapses_.first_source;  // huge where before
      if (source >= synapses_.source_count) continue;
      const network::Entries entries = synapses_.index.of(source);
      if (entries.begin < entries.end)
        own.emplace_back(network::arrival_step(spike.time_ms, dt_ms_),
                         static_cast<std::uint32_t>(source));
    }
  std::ranges::sort(own);
  for (const auto& [step, source] : own)
    if (known_until_.empty() || step > known_until_[source]) wait_for(source, step, now);
  known_until_ = {};
}

void PlasticTable::wait_for(std::uint32_t number, std::int64_t step, std::int64_t now) {
  Source& source = sources_[number];
  const PastSpike spike = rule_.next_source(source.last, step);
  const PastSpike before = std::exchange(source.last, spike);
  const network::Entries entries = synapses_.index.of(number);
  std::uint32_t next = entries.begin;
  while (next < entries.end && step + synapses_.delay(next) < now) ++next;
  if (next == entries.end) return;
  const std::uint64_t own = first_waiting_ + waiting_.size();
  waiting_.push_back({spike, before, std::exchange(source.newest, own), number, next});
  due(step + synapses_.delay(next)).push_back(own);
}

void PlasticTable::arrive(std::int64_t step, const network::InputRingView& ring) {
  arriving_.clear();
  std::swap(arriving_, due(step));
  for (const std::uint64_t number : arriving_) {
    Waiting& one = waiting(number);
    const std::int64_t delay = step - one.spike.step;
    const std::int64_t shift = rule_.shift(delay), came = one.spike.step + shift;
    const std::uint32_t end = synapses_.index.of(one.source).end;
    std::uint32_t& s = one.next;
    for (; s < end && synapses_.delay(s) == delay; ++s) {
      const std::uint32_t target = synapses_.targets[s];
      const double settled =
          rule_.settled(synapses_.weights[s], targets_.view(), target, one.before, shift,
                        rule_.settled_until(settled_to_, delay), rule_.last_before(came));
      synapses_.weights[s] = rule_.passed(settled, targets_.view(), target, came);
      ring.add(step, target, grid_.multiple_of(synapses_.weights[s]));
    }
    if (s < end)
      due(one.spike.step + synapses_.delay(s)).push_back(number);
    else
      one.is_done = true;
  }
  for (; !waiting_.empty() && waiting_.front().is_done; ++first_waiting_) waiting_.pop_front();
}

void PlasticTable::add_target_spike(std::uint32_t neuron, std::int64_t step) {
  targets_.add(neuron, rule_.next_target(targets_.last(neuron), step));
  if (targets_.is_full(neuron, rule_.settled_until(settled_to_, synapses_.longest_steps)))
    full_.push_back(neuron);
}

void PlasticTable::end_step(std::int64_t now) {
  if (full_.empty()) return;
  settle(now);
  const std::int64_t until = rule_.settled_until(now, synapses_.longest_steps);
  if (std::ranges::any_of(full_, [&](std::uint32_t n) { return targets_.is_full(n, until); }))
    targets_.grow();
  full_.clear();
}

/// The last spike of a source that arrived through a synapse of that delay before step `now`.
PastSpike PlasticTable::last_arrived(std::uint64_t source, std::int64_t delay,
                                     std::int64_t now) const {
  const auto is_there = [&](const PastSpike& spike) {
    return !spike.is_there() || spike.step + delay < now;
  };
  PastSpike last = sources_[source].last;
  std::uint64_t number = sources_[source].newest;
  while (!is_there(last)) {
    const Waiting& one = waiting_[static_cast<std::size_t>(number - first_waiting_)];
    last = one.before;
    number = one.previous;
  }
  return last;
}

/// Lets all weights feel the target's spikes that came to their synapses by then.
void PlasticTable::settle(std::int64_t now) {
  if (now == settled_to_) return;
  synapses_.index.each_source([&](std::uint64_t source) {
    const network::Entries entries = synapses_.index.of(source);
    PastSpike last;
    std::int64_t known = 0;
    for (std::uint32_t s = entries.begin; s < entries.end; ++s) {
      const std::int64_t delay = synapses_.delay(s);
      if (std::exchange(known, delay) != delay) last = last_arrived(source, delay, now);
      synapses_.weights[s] = rule_.settled(
          synapses_.weights[s], targets_.view(), synapses_.targets[s], last, rule_.shift(delay),
          rule_.settled_until(settled_to_, delay), rule_.settled_until(now, delay));
    }
  });
  settled_to_ = now;
}

void PlasticTable::walk(StateWalk& state, std::int64_t now) {
  if (state.is_saving()) settle(now);
  PlasticState all(projection_, synapses_, targets_, rule_);
  all.walk(state, 0, now, [&](std::uint64_t source, std::int64_t delay) {
    return last_arrived(source, delay, now);
  });
  if (state.is_saving()) return;
  known_until_.resize(sources_.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    sources_[s].last = all.sources()[s];
    known_until_[s] = sources_[s].last.step;
  }
}

std::size_t PlasticTable::bytes() const {
  return synapses_.bytes() + tables_.bytes() + targets_.bytes() + bytes_of(sources_) +
         waiting_.size() * sizeof(Waiting) + bytes_of(due_);
}

}  // namespace hillock::simulator
