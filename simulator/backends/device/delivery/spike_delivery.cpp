#include "simulator/backends/device/delivery/spike_delivery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

/// Room for as much as may arrive is made without asking up to this; beyond, what does arrive is
/// counted first.
constexpr std::uint64_t most_unasked = std::uint64_t{2} << 20;
constexpr std::size_t least_room = 1024;

/// What a device reads one by one from the host takes 40 ns each: more than so many are copied.
constexpr std::size_t most_read_from_host = 64;

/// Starts to copy what lies in pinned memory to an array that has room for it; returns where.
template <class T>
const T* copy_up(std::span<const T> from, device::Array<T>& to, device::Stream stream) {
  if (from.size() > to.size()) {
    device::wait(stream);
    to = {};
    to = device::Array<T>(2 * from.size());
  }
  if (!from.empty())
    device::copy(to.data(), from.data(), from.size_bytes(), device::Way::in, stream);
  return to.data();
}

template <class T>
std::size_t bytes_of_array(const DeviceView<T>& array) {
  return array.size() * sizeof(T);
}

}  // namespace

SpikeDelivery::SpikeDelivery(const ConnectionTables& tables,
                             const ConnectionTables::SlotOf& slot_of, std::size_t cells,
                             const network::Boundaries& boundaries, unsigned* spike_count,
                             DeviceMemory& memory)
    : memory_(&memory),
      boundaries_(boundaries),
      most_entries_(tables.most_entries()),
      most_pieces_(tables.most_pieces()),
      window_(tables.longest_delay_ms(), boundaries),
      spike_count_(spike_count) {
  state_ = memory.take<DeliveryState>(1, DeviceUse::events);
  state_.clear();
  if (tables.runs().empty()) return;
  cells_ = cells;
  put_tables(tables, slot_of);
  clock_ms_ = memory.put<double>({boundaries.clock_ms, boundaries.clock_ms + boundaries.clock_size},
                                 DeviceUse::events);
  boundaries_.clock_ms = clock_ms_.data();
  counts_ = memory.take<unsigned>(cells, DeviceUse::events);
  begin_ = memory.take<unsigned>(cells, DeviceUse::events);
  end_ = memory.take<unsigned>(cells, DeviceUse::events);
  long_cells_ = memory.take<unsigned>(cells, DeviceUse::events);
  totals_ = memory.take<DeliveryTotals>(2, DeviceUse::events);
  counts_.clear();
  begin_.clear();
  end_.clear();
  totals_.clear();
  spikes_ = memory.take<Spike>(least_room, DeviceUse::events);
  // As much as half a percent of the cells may come to, for a start.
  const std::uint64_t arrivals = 64 + cells / 200;
  grow(std::min(arrivals * most_pieces_, most_unasked),
       std::min(arrivals * most_entries_, most_unasked));
}

void SpikeDelivery::put_tables(const ConnectionTables& tables,
                               const ConnectionTables::SlotOf& slot_of) {
  DeviceMemory& memory = *memory_;
  const std::uint64_t before = memory.bytes().of(DeviceUse::connections);
  std::uint64_t size = 0, slots = 0, weights = 0, delays = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ConnectionTables::Shape& shape = tables.shape(t);
    size += shape.size;
    if (shape.has_slots) slots += shape.size;
    if (shape.has_weights) weights += shape.size;
    if (shape.has_delays) delays += shape.size;
  }
  targets_ = memory.take<unsigned>(size, DeviceUse::connections);
  slots_ = memory.take<unsigned>(slots, DeviceUse::connections);
  weights_ = memory.take<double>(weights, DeviceUse::connections);
  delays_ms_ = memory.take<double>(delays, DeviceUse::connections);
  ranks_ = memory.take<unsigned>(delays, DeviceUse::connections);
  size = slots = weights = delays = 0;
  std::vector<ConnectionTable> all;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ConnectionTables::Shape& shape = tables.shape(t);
    all.push_back({targets_.data() + size, shape.has_slots ? slots_.data() + slots : nullptr,
                   shape.has_weights ? weights_.data() + weights : nullptr,
                   shape.has_delays ? delays_ms_.data() + delays : nullptr,
                   shape.has_delays ? ranks_.data() + delays : nullptr, shape.weight,
                   shape.delay_ms});
    tables.read(t, slot_of, [&](const TablePart& part) {
      targets_.upload(part.targets, size + part.begin);
      slots_.upload(part.slots, slots + part.begin);
      weights_.upload(part.weights, weights + part.begin);
      delays_ms_.upload(part.delays_ms, delays + part.begin);
      ranks_.upload(part.ranks, delays + part.begin);
    });
    size += shape.size;
    if (shape.has_slots) slots += shape.size;
    if (shape.has_weights) weights += shape.size;
    if (shape.has_delays) delays += shape.size;
  }
  tables_ = memory.put<ConnectionTable>(all, DeviceUse::connections);
  instances_ = memory.take<InstanceAddress>(tables.instance_count(), DeviceUse::connections);
  tables.read_instances([&](std::uint64_t first, const std::vector<InstanceAddress>& some) {
    instances_.upload(some, first);
  });
  runs_ = memory.put<Run>(tables.runs(), DeviceUse::connections);
  run_begin_ = memory.put<unsigned>(tables.run_begin(), DeviceUse::connections);
  connection_bytes_ = memory.bytes().of(DeviceUse::connections) - before;
}

std::size_t SpikeDelivery::bytes() const {
  return connection_bytes_ + bytes_of_array(spikes_) + bytes_of_array(pieces_) +
         bytes_of_array(events_) + bytes_of_array(origins_) + bytes_of_array(spilled_) +
         4 * counts_.size() * sizeof(unsigned);
}

DeliveryArrays SpikeDelivery::arrays() {
  return {.connections = {tables_.data(), instances_.data(), runs_.data(), run_begin_.data()},
          .most_entries = most_entries_,
          .most_pieces = most_pieces_,
          .boundaries = boundaries_,
          .state = state_.data(),
          .spikes = spikes_.data(),
          .spike_mask = spikes_.size() - 1,
          .pieces = pieces_.data(),
          .room_for_pieces = static_cast<unsigned>(pieces_.size()),
          .events = events_.data(),
          .origins = origins_.data(),
          .spilled = spilled_.data(),
          .room_for_spilled = static_cast<unsigned>(spilled_.size()),
          .cells = static_cast<unsigned>(cells_),
          .counts = counts_.data(),
          .begin = begin_.data(),
          .end = end_.data(),
          .long_cells = long_cells_.data(),
          .totals = totals_.data()};
}

/// Makes the ring of spikes larger. Any ring has the spike of number n at n modulo its size.
void SpikeDelivery::widen_ring(std::size_t kept, std::size_t count, device::Stream stream) {
  const DeviceView<Spike> larger =
      memory_->take<Spike>(std::bit_ceil(2 * (kept + count)), DeviceUse::events);
  for (std::uint64_t n = window_.from(); n < window_.from() + kept;) {
    const std::uint64_t from = n & (spikes_.size() - 1), there = n & (larger.size() - 1);
    const std::uint64_t some =
        std::min({window_.from() + kept - n, spikes_.size() - from, larger.size() - there});
    device::copy(larger.data() + there, spikes_.data() + from, some * sizeof(Spike),
                 device::Way::within, stream);
    n += some;
  }
  device::wait(stream);
  memory_->renew(spikes_, 0, DeviceUse::events);
  spikes_ = larger;
}

void SpikeDelivery::take_in(std::int64_t first,
                            std::span<const std::vector<network::CellSpike>> spikes,
                            const Spike* on_device) {
  if (!has_connections()) return;
  window_.forget_before(first);
  std::size_t count = 0;
  double latest_ms = -std::numeric_limits<double>::infinity();
  for (const auto& some : spikes) {
    count += some.size();
    for (const network::CellSpike& spike : some) latest_ms = std::max(latest_ms, spike.time_ms);
  }
  new_count_ = count;
  new_ones_ = on_device;
  if (!on_device) {
    PinnedArray<Spike>& to_device = new_spikes_[new_ = 1 - new_];
    to_device.reserve(count);
    std::size_t to = 0;
    for (const auto& some : spikes)
      for (const network::CellSpike& spike : some)
        to_device[to++] = {spike.time_ms, spike.cell.value};
  }
  window_.add(count, latest_ms);
  if (window_.count() > std::numeric_limits<unsigned>::max() / 2)
    throw std::length_error(
        fmt::format("{} spikes are on their way, more than a device takes", window_.count()));
}

void SpikeDelivery::grow(std::uint64_t pieces, std::uint64_t events) {
  const std::uint64_t most = std::numeric_limits<unsigned>::max();
  const std::uint64_t places = cells_ * places_of_cell;
  if (pieces > most || places + events > most)
    throw std::length_error(fmt::format(
        "{} events arrive in one epoch, more than a device takes at once (a shorter --epoch-steps "
        "helps)",
        events));
  const auto more = [](std::uint64_t count, std::uint64_t bound) {
    return std::max<std::uint64_t>(std::min(count + count / 2, bound), least_room);
  };
  if (pieces <= pieces_.size() && events <= spilled_.size()) return;
  device::wait();  // an epoch may be under way
  if (pieces > pieces_.size()) {
    memory_->renew(pieces_, more(pieces, most), DeviceUse::events);
  }
  if (events > spilled_.size()) {
    memory_->renew(origins_, 0, DeviceUse::events);
    memory_->renew(events_, 0, DeviceUse::events);
    memory_->renew(spilled_, more(events, most - places), DeviceUse::events);
    memory_->renew(origins_, places + spilled_.size(), DeviceUse::events);
    memory_->renew(events_, places + spilled_.size(), DeviceUse::events);
  }
}

/// Makes sure that the epoch's events fit.
void SpikeDelivery::make_room(device::Stream stream) {
  const std::size_t kept = window_.count() - new_count_;
  if (window_.count() > spikes_.size()) widen_ring(kept, new_count_, stream);
  const std::uint64_t arrivals = std::uint64_t{window_.count()} + work_.train_count;
  const std::uint64_t pieces = arrivals * most_pieces_, events = arrivals * most_entries_;
  if (pieces <= pieces_.size() && events <= spilled_.size()) return;
  if (pieces <= most_unasked && events <= most_unasked) return grow(pieces, events);
  DeliveryTotals found{};
  DeliveryTotals* const totals = totals_.data() + work_.parity;
  start_counting(arrays(), work_, stream);
  device::copy(&found, totals, sizeof found, device::Way::out, stream);
  device::clear(totals, sizeof found, stream);
  device::wait(stream);
  grow(found.large, found.events);
  work_.is_counted = true;
}

void SpikeDelivery::begin(Epoch epoch, std::span<const TrainEvent> trains, device::Stream stream) {
  work_ = {.first = epoch.first,
           .last = epoch.last,
           .spikes_from = window_.from_before(epoch.first),
           .new_spikes = nullptr,
           .new_count = 0,
           .new_count_at = nullptr,
           .train_events = copy_up(trains, train_events_, stream),
           .train_count = static_cast<unsigned>(trains.size()),
           .is_counted = false,
           .parity = 1 - work_.parity,
           .heard_ms = resumed_.heard_ms};
}

/// Where the device finds the spikes that the host has.
const Spike* SpikeDelivery::taken_in(device::Stream stream) {
  const PinnedArray<Spike>& some = new_spikes_[new_];
  if (new_count_ <= most_read_from_host) return some.data();
  return copy_up(std::span(some.data(), new_count_), new_spikes_there_, stream);
}

void SpikeDelivery::start(Epoch epoch, std::span<const TrainEvent> trains, device::Stream stream) {
  if (!has_connections()) return;
  begin(epoch, trains, stream);
  work_.new_spikes = new_ones_ ? new_ones_ : taken_in(stream);
  work_.new_count = static_cast<unsigned>(new_count_);
  make_room(stream);
  start_delivery(arrays(), work_, spike_count_, stream);
}

void SpikeDelivery::start_ahead(Epoch epoch, std::span<const TrainEvent> trains,
                                const Spike* spikes, device::Stream stream) {
  if (!has_connections()) return;
  begin(epoch, trains, stream);
  work_.new_spikes = spikes;
  work_.new_count_at = spike_count_;
  start_delivery(arrays(), work_, spike_count_, stream);
}

void SpikeDelivery::go_on(device::Stream stream) {
  device::clear(&state_.data()->halted, sizeof DeliveryState::halted, stream);
  if (totals_.size() == 0) return;
  device::clear(totals_.data(), totals_.size() * sizeof(DeliveryTotals), stream);
}

void SpikeDelivery::check(const DeliveryTotals& totals) const {
  if (std::uint64_t{totals.pieces} + totals.large > pieces_.size() ||
      totals.spilled > spilled_.size() || totals.filled > spilled_.size())
    throw std::logic_error(
        fmt::format("{} events of an epoch in {} pieces are more than there was room for",
                    totals.spilled, std::uint64_t{totals.pieces} + totals.large));
}

}  // namespace hillock::simulator::on_device
