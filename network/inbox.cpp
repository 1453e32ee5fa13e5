#include "network/inbox.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/containers/memory_size.hpp"
#include "network/events.hpp"

namespace hillock::network {

namespace {

/// An array of arrivals that is full grows by a quarter: it may have a good part of a run's memory.
void make_room(std::vector<Arrival>& list) {
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 4 + 16);
}

}  // namespace

Inbox::Inbox(std::vector<FanInTable> tables, std::size_t projections,
             std::vector<DrivenCell> trains)
    : tables_(std::move(tables)), projections_(projections), trains_(std::move(trains)) {
  if (tables_.size() > most_tables)
    throw std::length_error("a range of cells has too many projections and stimuli");
  for (const FanInTable& table : tables_) first_sources_.push_back(table.first_source);
  for (const DrivenCell& driven : trains_.all()) first_sources_[driven.table] = driven.source;
}

void Inbox::start(const Boundaries& boundaries, std::int64_t epoch_steps, std::int64_t end) {
  if (epoch_steps > most_epoch_steps)
    throw std::invalid_argument("an epoch has more steps than an arrival can tell apart");
  boundaries_ = boundaries;
  epoch_steps_ = epoch_steps;
  end_ = end;
  epochs_.resize(2);
}

/// Of an epoch that is not over. Begins with the memory of what was taken last.
std::vector<Arrival>& Inbox::list_of(std::int64_t epoch) {
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
  std::vector<Arrival>& list = epochs_[static_cast<std::size_t>(epoch) % epochs_.size()];
  if (list.capacity() == 0) {
    taken_.clear();
    std::swap(list, taken_);
  }
  return list;
}

void Inbox::add(std::int64_t step, Arrival arrival) {
  if (step >= end_ || step < resumed_.step || arrival.time_ms <= resumed_.heard_ms) return;
  const std::int64_t epoch = step / epoch_steps_;
  arrival.step = static_cast<std::uint32_t>(step - epoch * epoch_steps_);
  std::vector<Arrival>& list = list_of(epoch);
  make_room(list);
  list.push_back(arrival);
}

/// Of two steps the later one has the later times.
bool Inbox::is_before(const Arrival& a, const Arrival& b) const {
  if (a.time_ms != b.time_ms) return a.time_ms < b.time_ms;
  if (source_of(a) != source_of(b)) return source_of(a) < source_of(b);
  if (a.table != b.table) return a.table < b.table;
  return a.begin < b.begin;
}

void Inbox::send(std::span<const CellSpike> spikes) {
  if (projections_ == 0) return;
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
        const double time_ms =
            boundaries_.arrival_ms(spike.time_ms, table.connections.delay_ms(some.begin));
        Arrival arrival{time_ms, static_cast<std::uint32_t>(source), some.begin,
                        some.end - some.begin};
        arrival.table = t;
        add(boundaries_.step_of(time_ms), arrival);
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
  trains_.drive(first, last, boundaries_,
                [&](std::int64_t step, double time_ms, const DrivenCell& driven) {
                  const FanIn::Entries some = tables_[driven.table].connections.of(driven.number);
                  Arrival arrival{time_ms, 0, some.begin, some.end - some.begin};
                  arrival.table = driven.table;
                  add(step, arrival);
                });
  std::vector<Arrival>& due = epochs_[static_cast<std::size_t>(next_epoch_) % epochs_.size()];
  taken_.clear();
  if (due.capacity() > 0) taken_ = std::exchange(due, {});
  taken_epoch_ = next_epoch_;
  const std::int64_t begin = taken_epoch_ * epoch_steps_;
  if (last == begin + epoch_steps_) {
    ++next_epoch_;
  } else {  // the rest of the epoch comes later
    const auto later = std::partition(taken_.begin(), taken_.end(),
                                      [&](const Arrival& one) { return one.step < last - begin; });
    due.assign(later, taken_.end());
    taken_.erase(later, taken_.end());
  }
  std::sort(taken_.begin(), taken_.end(),
            [this](const Arrival& a, const Arrival& b) { return is_before(a, b); });
  return taken_;
}

void Inbox::resume_at(const Resumed& at) {
  next_epoch_ = at.step / epoch_steps_;
  resumed_ = at;
}

std::size_t Inbox::bytes() const {
  std::size_t bytes =
      trains_.bytes() + bytes_of(tables_) + bytes_of(epochs_) + bytes_of(first_sources_);
  for (const FanInTable& table : tables_) bytes += table.connections.bytes();
  return bytes;
}

}  // namespace hillock::network
