#include "simulator/backends/cpu/groups/probe_schedule.hpp"

#include <algorithm>

namespace hillock::simulator::cpu {

void number_columns(GroupLayout& group, std::span<const models::ReportLayout> reports) {
  for (SampledColumn& probe : group.samples) {
    const models::ReportLayout& report = reports[probe.recording];
    const auto cell = std::ranges::lower_bound(report.node_ids, group.indices[probe.cell]);
    probe.column += report.index_pointers[static_cast<std::size_t>(cell - report.node_ids.begin())];
  }
}

ProbeSchedule::ProbeSchedule(std::vector<SampledColumn>& probes,
                             const std::vector<SampleTimes>& samples)
    : probes_(probes), samples_(samples) {
  std::ranges::stable_sort(probes, {}, &SampledColumn::recording);
  for (std::size_t p = 0; p < probes.size(); ++p) {
    if (ranges_.empty() || ranges_.back().recording != probes[p].recording)
      ranges_.push_back({probes[p].recording, p, p});
    ranges_.back().end = p + 1;
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
