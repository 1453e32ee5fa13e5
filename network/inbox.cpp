#include "network/inbox.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/memory_size.hpp"
#include "network/events.hpp"

namespace hillock::network {

Inbox::Inbox(std::vector<FanInTable> tables, std::size_t projections,
             std::vector<DrivenCell> trains)
    : tables_(std::move(tables)), projections_(projections), trains_(std::move(trains)) {}

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
        table.connections.index().prefetch_of(spikes[i + ahead].cell.value - table.first_source);
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

std::span<const Arrival> Inbox::take(std::int64_t first, std::int64_t last) {
  if (first / epoch_steps_ != next_epoch_) throw std::logic_error("epochs are taken in order");
  trains_.drive(first, last, dt_ms_,
                [&](std::int64_t step, double time_ms, const DrivenCell& driven) {
                  add({step, time_ms, driven.source, driven.table,
                       tables_[driven.table].connections.of(driven.number)});
                });
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

void Inbox::resume_at(std::int64_t first_step) {
  next_epoch_ = first_step / epoch_steps_;
  resumed_at_ = first_step;
}

std::size_t Inbox::bytes() const {
  std::size_t bytes = trains_.bytes() + bytes_of(tables_) + bytes_of(epochs_);
  for (const FanInTable& table : tables_) bytes += table.connections.bytes();
  return bytes;
}

}  // namespace hillock::network
