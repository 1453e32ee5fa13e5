#include "simulator/backends/cpu/groups/probe_schedule.hpp"

#include <algorithm>

namespace hillock::simulator::cpu {

void number_columns(GroupLayout& group, std::span<const models::ReportLayout> reports) {
  for (SampledColumns& columns : group.samples) {
    const models::ReportLayout& report = reports[columns.recording];
    const auto cell = std::ranges::lower_bound(report.node_ids, group.indices[columns.cell]);
    columns.first +=
        report.index_pointers[static_cast<std::size_t>(cell - report.node_ids.begin())];
  }
}

ProbeSchedule::ProbeSchedule(GroupLayout& group, const std::vector<SampleTimes>& samples)
    : group_(group), samples_(samples) {
  std::ranges::stable_sort(group.samples, {}, &SampledColumns::recording);
  for (std::size_t k = 0; k < group.samples.size(); ++k) {
    const std::size_t recording = group.samples[k].recording;
    if (ranges_.empty() || ranges_.back().recording != recording)
      ranges_.push_back({recording, k, k});
    ranges_.back().end = k + 1;
    std::size_t& most = ranges_.back().most_columns;
    most = std::max(most, group.samples[k].count);
  }
}

void ProbeSchedule::begin_epoch(std::int64_t first, std::int64_t last) {
  first_step_ = first;
  due_.assign(static_cast<std::size_t>(last - first) + 2, 0);
  for (const Range& range : ranges_) {
    const SampleTimes& times = samples_[range.recording];
    for (std::int64_t sample = times.up_to(first - 1); sample < times.count; ++sample) {
      const std::int64_t step = times.first + sample * times.every;
      if (step > last + 1) break;
      due_[static_cast<std::size_t>(step - first)] = 1;
    }
  }
}

}  // namespace hillock::simulator::cpu
