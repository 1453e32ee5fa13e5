#pragma once
// When a group's probes are read. A recording costs nothing at steps at which it takes no sample.

#include <cstdint>
#include <vector>

#include "simulator/backends/cpu/group_layout.hpp"

namespace hillock::simulator::cpu {

class ProbeSchedule {
 public:
  /// Orders the probes by their recordings. probes and samples ([recording]) must outlive this.
  ProbeSchedule(std::vector<SampledColumn>& probes, const std::vector<SampleTimes>& samples);

  /// Looks up the samples of boundaries first … last + 1.
  void begin_epoch(std::int64_t first, std::int64_t last);

  /// Whether some probe of the group is read at this boundary, of those that were looked up.
  bool is_due(std::int64_t step) const {
    return due_[static_cast<std::size_t>(step - first_step_)] != 0;
  }

  /// Calls body(probe, row of the samples) for every probe that is read at this boundary.
  template <class Body>
  void for_each_due(std::int64_t step, const Body& body) const {
    for (const Range& range : ranges_) {
      const SampleTimes& times = samples_[range.recording];
      if (!times.contains(step)) continue;
      const std::int64_t sample = times.up_to(step) - 1;
      for (std::size_t p = range.begin; p < range.end; ++p) body(probes_[p], sample);
    }
  }

 private:
  /// The probes of one recording.
  struct Range {
    std::size_t recording = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  const std::vector<SampledColumn>& probes_;
  const std::vector<SampleTimes>& samples_;
  std::vector<Range> ranges_;
  std::vector<char> due_;  ///< [boundary - first_step_]
  std::int64_t first_step_ = 0;
};

}  // namespace hillock::simulator::cpu
