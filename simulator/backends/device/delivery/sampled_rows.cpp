#include "simulator/backends/device/delivery/sampled_rows.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

bool has_any(const std::vector<std::size_t>& sizes) {
  return std::ranges::any_of(sizes, [](std::size_t size) { return size > 0; });
}

}  // namespace

SampledRows::SampledRows(std::span<const SampleTimes> times, Recording* recordings)
    : times_(times), recordings_(recordings), slots_(std::make_unique<Slot[]>(2)) {
  for (Slot* slot : {&slots_[0], &slots_[1]})
    slot->recordings = PinnedArray<Recording>(times.size());
}

void SampledRows::make_room(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
                            DeviceMemory& memory) {
  for (std::size_t k = 0; k < reports.size(); ++k) {
    const std::size_t rows = static_cast<std::size_t>(epoch_steps / times_[k].every) + 1;
    columns_.push_back(reports[k].element_ids.size());
    rows_.push_back(memory.take<double>(rows * columns_.back(), DeviceUse::samples));
    for (Slot* slot : {&slots_[0], &slots_[1]}) slot->rows.emplace_back(rows_.back().size());
  }
}

void SampledRows::open(std::int64_t after, std::int64_t last, unsigned number,
                       device::Stream stream) {
  Slot& slot = slots_[number];
  slot.sizes.clear();
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const SampleTimes& times = times_[k];
    const std::int64_t first = times.up_to(after);
    const std::int64_t count = columns_[k] > 0 ? times.count : 0;  // or of cells elsewhere
    slot.recordings[k] = {{times.first, times.every, count}, rows_[k].data(), columns_[k], first};
    slot.sizes.push_back(static_cast<std::size_t>(times.up_to(last) - first) * columns_[k]);
  }
  const bool is_told = std::exchange(is_told_, true);
  if (!has_any(slot.sizes) && is_told) return;  // those of old are no sample of this epoch's
  device::copy(recordings_, slot.recordings.data(), slot.recordings.size() * sizeof(Recording),
               device::Way::in, stream);
}

void SampledRows::fetch(unsigned number, device::Stream stream) {
  Slot& slot = slots_[number];
  if (!has_any(slot.sizes)) return;
  for (std::size_t k = 0; k < slot.sizes.size(); ++k)
    if (slot.sizes[k] > 0)
      device::copy(slot.rows[k].data(), rows_[k].data(), slot.sizes[k] * sizeof(double),
                   device::Way::out, stream);
  slot.fetched.record(stream);
}

void SampledRows::hand_over(unsigned number, const EpochResult& result) const {
  const Slot& slot = slots_[number];
  if (!has_any(slot.sizes)) return;
  slot.fetched.wait();
  for (std::size_t k = 0; k < slot.sizes.size(); ++k)
    std::copy_n(slot.rows[k].data(), slot.sizes[k], result.samples[k].data);
}

}  // namespace hillock::simulator::on_device
