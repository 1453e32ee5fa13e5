#pragma once
// When a group's probes are read. A recording costs nothing at steps at which it takes no sample.

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/step/samples.hpp"

namespace hillock::simulator::cpu {

/// Recordings' columns, until then counted on each cell, are counted through the reports.
void number_columns(GroupLayout& group, std::span<const models::ReportLayout> reports);

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

  /// Writes what every probe that is read at this boundary now is (step/samples.hpp).
  template <class Cells>
  void write_due(std::int64_t step, std::span<const SampleBuffer> samples,
                 const std::vector<SampledTerm>& terms, Cells& cells) const {
    for (const Range& range : ranges_) {
      const SampleTimes& times = samples_[range.recording];
      const std::int64_t sample = times.sample_at(step);
      if (sample < 0) continue;
      const SampleBuffer& buffer = samples[range.recording];
      const std::int64_t row = sample - buffer.first_sample;
      double* const to = buffer.data + static_cast<std::size_t>(row) * buffer.columns;
      for (std::size_t p = range.begin; p < range.end; ++p)
        to[probes_[p].column] =
            step::sum_of(cells, terms.data() + probes_[p].first_term, probes_[p].terms);
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
