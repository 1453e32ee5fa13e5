#include "simulator/backends/device/delivery/sampled_rows.hpp"

#include <algorithm>
#include <utility>

#include "simulator/backends/device/delivery/kernels.hpp"

namespace hillock::simulator::on_device {

SampledRows::SampledRows(std::span<const SampleTimes> times, Recording* recordings)
    : times_(times), recordings_(recordings), slots_(std::make_unique<Slots>()) {
  for (Slot& slot : slots_->each) slot.recordings = PinnedArray<Recording>(times.size());
}

void SampledRows::make_room(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
                            std::span<const PotentialPlan> potentials, DeviceMemory& memory) {
  for (std::size_t k = 0; k < reports.size(); ++k) {
    const std::size_t rows = static_cast<std::size_t>(epoch_steps / times_[k].every) + 1;
    columns_.push_back(reports[k].element_ids.size());
    const auto potential = std::ranges::find(potentials, k, &PotentialPlan::report);
    sent_columns_.push_back(columns_.back());
    sums_.emplace_back();
    if (potential != potentials.end() && potential->may_be_summed()) {
      sent_columns_.back() = solver::sums_size(potential->of->size());
      sums_.back() = sums_of(*potential, k, rows, memory);
    }
    for (Slot& slot : slots_->each) {
      slot.made.push_back(memory.take<double>(rows * columns_.back(), DeviceUse::samples));
      slot.rows.emplace_back(rows * sent_columns_.back());
    }
  }
}

SampledRows::Sums SampledRows::sums_of(const PotentialPlan& plan, std::size_t k,
                                       std::size_t samples, DeviceMemory& memory) {
  const std::size_t contacts = plan.of->size();
  const DeviceView<double> maps =
      memory.take<double>(solver::map_size(columns_[k], contacts), DeviceUse::samples);
  std::vector<MappedCell> cells;
  std::size_t column = 0, map = 0;
  for (const PotentialPlan::Cell& cell : plan.cells) {
    const std::size_t size = solver::map_size(cell.columns, contacts);
    if (cell.map) maps.upload({cell.map, size}, map);
    cells.push_back({column, map, static_cast<unsigned>(cell.columns)});
    column += cell.columns;
    map += size;
  }
  Sums sums;
  sums.room = memory.take<double>(samples * sent_columns_[k], DeviceUse::samples);
  sums.work = {.cells = memory.put<MappedCell>(cells, DeviceUse::samples).data(),
               .cell_count = static_cast<unsigned>(cells.size()),
               .blocks = static_cast<unsigned>(solver::contact_blocks(contacts)),
               .maps = maps.data(),
               .currents = nullptr,
               .row_length = columns_[k],
               .samples = 0,
               .sums = sums.room.data()};
  return sums;
}

bool SampledRows::has_any(const Slot& slot) const {
  return std::ranges::any_of(slot.samples, [](std::size_t samples) { return samples > 0; });
}

void SampledRows::open(std::int64_t after, std::int64_t last, unsigned number,
                       device::Stream stream) {
  Slot& slot = slots_->each[number];
  slot.fetched.hold(stream);  // what an epoch made that has to be done again may be on its way
  slot.samples.clear();
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const SampleTimes& times = times_[k];
    const std::int64_t first = times.up_to(after);
    const std::int64_t count = columns_[k] > 0 ? times.count : 0;  // or of cells elsewhere
    slot.recordings[k] = {
        {times.first, times.every, count}, slot.made[k].data(), columns_[k], first};
    slot.samples.push_back(
        sent_columns_[k] > 0 ? static_cast<std::size_t>(times.up_to(last) - first) : 0);
  }
  const bool is_told = std::exchange(is_told_, true);
  if (!has_any(slot) && is_told) return;  // those of old are no sample of this epoch's
  device::copy(recordings_, slot.recordings.data(), slot.recordings.size() * sizeof(Recording),
               device::Way::in, stream);
}

void SampledRows::fetch(unsigned number, device::Stream stream) {
  Slot& slot = slots_->each[number];
  if (!has_any(slot)) return;
  slot.sampled.record(stream);
  slot.sampled.hold(slots_->stream);
  for (std::size_t k = 0; k < slot.samples.size(); ++k) {
    if (slot.samples[k] == 0) continue;
    const std::size_t bytes = slot.samples[k] * sent_columns_[k] * sizeof(double);
    const double* from = slot.made[k].data();
    if (sums_[k]) {
      PotentialWork work = sums_[k]->work;
      work.currents = slot.made[k].data();
      work.samples = static_cast<unsigned>(slot.samples[k]);
      device::clear(work.sums, bytes, slots_->stream);
      start_potentials(work, slots_->stream);
      from = work.sums;
    }
    device::copy(slot.rows[k].data(), from, bytes, device::Way::out, slots_->stream);
  }
  slot.fetched.record(slots_->stream);
}

void SampledRows::hand_over(unsigned number, const EpochResult& result) const {
  const Slot& slot = slots_->each[number];
  if (!has_any(slot)) return;
  slot.fetched.wait();
  for (std::size_t k = 0; k < slot.samples.size(); ++k)
    std::copy_n(slot.rows[k].data(), slot.samples[k] * sent_columns_[k], result.samples[k].data);
}

}  // namespace hillock::simulator::on_device
