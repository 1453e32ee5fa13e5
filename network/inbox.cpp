#include "network/inbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/memory_size.hpp"

#include "network/events.hpp"

namespace hillock::network {

namespace {

double next_ms(const DrivenCell& driven) {
  return driven.train.next_ms() + driven.delay_ms;
}

bool comes_later(const DrivenCell& one, const DrivenCell& other) {
  return next_ms(one) > next_ms(other);
}

}  // namespace

Inbox::Inbox(std::vector<FanInTable> tables, std::size_t projections,
             std::vector<DrivenCell> trains)
    : tables_(std::move(tables)), projections_(projections), trains_(std::move(trains)) {
  forget_what_is_over();
}

void Inbox::forget_what_is_over() {
  std::erase_if(trains_, [](const DrivenCell& driven) { return !std::isfinite(next_ms(driven)); });
  std::ranges::make_heap(trains_, comes_later);
}

void Inbox::start(double dt_ms, std::int64_t epoch_steps) {
  dt_ms_ = dt_ms;
  epoch_steps_ = epoch_steps;
  epochs_.resize(2);
}

void Inbox::add(const Arrival& arrival) {
  if (arrival.step < resumed_at_) return;
  const std::int64_t epoch = arrival.step / epoch_steps_;
  const std::int64_t ahead = epoch - next_epoch_;
  if (ahead < 0) throw std::logic_error("an event arrives in an epoch that is over");
  if (static_cast<std::size_t>(ahead) >= epochs_.size()) {
    std::vector<std::vector<Arrival>> more(
        std::max(2 * epochs_.size(), static_cast<std::size_t>(ahead) + 1));
    for (std::size_t i = 0; i < epochs_.size(); ++i) {
      const std::size_t e = static_cast<std::size_t>(next_epoch_) + i;
      more[e % more.size()] = std::move(epochs_[e % epochs_.size()]);
    }
    epochs_ = std::move(more);
  }
  epochs_[static_cast<std::size_t>(epoch) % epochs_.size()].push_back(arrival);
}

void Inbox::send(std::span<const CellSpike> spikes) {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    const CellSpike& spike = spikes[i];
    for (std::uint32_t t = 0; t < projections_; ++t) {
      const FanInTable& table = tables_[t];
      if (i + ahead < spikes.size())
        table.connections.prefetch_of(spikes[i + ahead].cell.value - table.first_source);
      const std::uint64_t source = spike.cell.value - table.first_source;  // huge where before it
      if (source >= table.source_count) continue;
      const FanIn::Entries entries = table.connections.of(source);
      if (entries.begin == entries.end) continue;
      const auto send_to = [&](const FanIn::Entries& some) {
        const double time_ms = spike.time_ms + table.connections.delay_ms(some.begin);
        add({arrival_step(time_ms, dt_ms_), time_ms, spike.cell.value, t, some});
      };
      if (table.connections.has_one_delay())
        send_to(entries);
      else
        for (std::uint32_t e = entries.begin; e < entries.end; ++e) send_to({e, e + 1});
    }
  }
}

/// Sends the events of stimuli that arrive in steps [first, last).
void Inbox::drive(std::int64_t first, std::int64_t last) {
  while (!trains_.empty()) {
    const double time_ms = next_ms(trains_.front());
    if (!(time_ms < (static_cast<double>(last) + 1) * dt_ms_)) return;
    const std::int64_t step = arrival_step(time_ms, dt_ms_);
    if (step >= last) return;
    std::ranges::pop_heap(trains_, comes_later);
    DrivenCell& driven = trains_.back();
    if (step >= first)  // none before t = 0
      add({step, time_ms, driven.source, driven.table,
           tables_[driven.table].connections.of(driven.number)});
    driven.train.advance();
    if (std::isfinite(driven.train.next_ms()))
      std::ranges::push_heap(trains_, comes_later);
    else
      trains_.pop_back();
  }
}

std::span<const Arrival> Inbox::take(std::int64_t first, std::int64_t last) {
  if (first / epoch_steps_ != next_epoch_) throw std::logic_error("epochs are taken in order");
  drive(first, last);
  std::vector<Arrival>& due = epochs_[static_cast<std::size_t>(next_epoch_) % epochs_.size()];
  taken_.clear();
  std::swap(taken_, due);
  if (last == (next_epoch_ + 1) * epoch_steps_) {
    ++next_epoch_;
  } else {  // the rest of the epoch comes later
    const auto later = std::partition(taken_.begin(), taken_.end(),
                                      [&](const Arrival& one) { return one.step < last; });
    due.assign(later, taken_.end());
    taken_.erase(later, taken_.end());
  }
  std::sort(taken_.begin(), taken_.end());
  return taken_;
}

void Inbox::walk(StateWalk& state, const std::string& prefix) {
  struct Position {
    double next_ms = std::numeric_limits<double>::infinity();
    std::uint64_t position = 0;
  };
  // Every train in the order of the model, also those that are over.
  std::vector<std::vector<Position>> trains(tables_.size());
  for (std::size_t t = projections_; t < tables_.size(); ++t)
    trains[t].resize(tables_[t].source_count);
  for (const DrivenCell& one : trains_)
    trains[one.table][one.number] = {one.train.next_ms(), one.train.position()};
  for (std::size_t t = projections_; t < tables_.size(); ++t) {
    const std::string name = fmt::format("{}/trains/{}/", prefix, t - projections_);
    state.column(name + "next");
    for (Position& train : trains[t]) state.number(train.next_ms);
    state.column(name + "position");
    for (Position& train : trains[t]) state.count(train.position);
  }
  if (state.is_saving()) return;
  for (DrivenCell& one : trains_) {
    const Position& train = trains[one.table][one.number];
    one.train.go_to(train.position, train.next_ms);
  }
  forget_what_is_over();
}

void Inbox::resume_at(std::int64_t first_step) {
  next_epoch_ = first_step / epoch_steps_;
  resumed_at_ = first_step;
}

std::size_t Inbox::bytes() const {
  std::size_t bytes = bytes_of(trains_) + bytes_of(tables_) + bytes_of(epochs_);
  for (const FanInTable& table : tables_) bytes += table.connections.bytes();
  return bytes;
}

}  // namespace hillock::network
