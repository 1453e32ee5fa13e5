#pragma once
// When a group's probes are read. A recording costs nothing at steps at which it takes no sample.

#include <algorithm>
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
  /// Orders the group's columns by their recordings. group and samples ([recording]) must outlive
  /// this.
  ProbeSchedule(GroupLayout& group, const std::vector<SampleTimes>& samples);

  /// Looks up the samples of boundaries first … last + 1.
  void begin_epoch(std::int64_t first, std::int64_t last);

  /// Whether some column of the group is written at this boundary, of those that were looked up.
  bool is_due(std::int64_t step) const {
    return due_[static_cast<std::size_t>(step - first_step_)] != 0;
  }

  /// Writes what every column that is written at this boundary now is (step/samples.hpp).
  /// Cells::at_nodes(kind): where all of a kind lie by a term's index, or null.
  template <class Cells>
  void write_due(std::int64_t step, std::span<const SampleBuffer> samples, Cells& cells) const {
    for (const Range& range : ranges_) {
      const SampleTimes& times = samples_[range.recording];
      const std::int64_t sample = times.sample_at(step);
      if (sample < 0) continue;
      double* const to = samples[range.recording].row(sample);
      for (std::size_t column = 0; column < range.most_columns; column += columns_at_once)
        for (std::size_t k = range.begin; k < range.end; ++k)
          write(group_.samples[k], column, cells, to + group_.samples[k].first);
    }
  }

 private:
  /// Cells that lie side by side are read together: what a line of the cache has is of all of them.
  static constexpr std::size_t columns_at_once = 64;

  /// Some columns from `first` on, term by term, so that what a term is of is asked once.
  template <class Cells>
  void write(const SampledColumns& columns, std::size_t first, Cells& cells, double* to) const {
    if (first >= columns.count) return;
    const std::size_t end = std::min(first + columns_at_once, columns.count);
    if (columns.terms == 0) std::fill(to + first, to + end, 0.0);
    for (std::size_t t = 0; t < columns.terms; ++t) {
      SampledTerm term = group_.terms[columns.first_term + t];
      const std::uint32_t* const at = group_.sampled_at.data() + columns.first_at + t;
      const auto add = [&](const auto& value_at) {
        for (std::size_t k = first; k < end; ++k)
          to[k] = (t == 0 ? 0.0 : to[k]) + value_at(at[k * columns.terms]);
      };
      if (const double* const nodes = cells.at_nodes(term.kind))
        add([&](std::uint32_t index) { return nodes[index]; });
      else
        add([&](std::uint32_t index) {
          term.index = index;
          return step::value_of(cells, term);
        });
    }
  }

  /// The columns of one recording, of the group's.
  struct Range {
    std::size_t recording = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t most_columns = 0;  ///< of one of them
  };

  const GroupLayout& group_;
  const std::vector<SampleTimes>& samples_;
  std::vector<Range> ranges_;
  std::vector<char> due_;  ///< [boundary - first_step_]
  std::int64_t first_step_ = 0;
};

}  // namespace hillock::simulator::cpu
