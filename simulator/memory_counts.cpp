#include "simulator/memory_counts.hpp"

#include <algorithm>

#include "core/memory_size.hpp"

namespace hillock::simulator {

/// A thread has the plan of one range, of which it forgets as much as it has laid out, and lays out
/// one group: its tree and columns in full take about as much again, and leave gaps of that size
/// behind.
std::uint64_t building_bytes(const NetworkPlan& plan, const Built& built) {
  const std::uint64_t ranges = std::max<std::uint64_t>(1, plan.made.size());
  const std::uint64_t groups = std::max<std::uint64_t>(1, built.groups);
  const std::uint64_t threads = std::min(ranges, static_cast<std::uint64_t>(built.threads));
  const std::uint64_t planned = plan.kind_bytes + plan.connection_memory.building;
  const std::uint64_t laid_out =
      (built.state_bytes + built.connection_bytes + plan.connection_memory.kept) / ranges;
  return threads * (std::max(planned, laid_out) - laid_out + 2 * built.state_bytes / groups);
}

/// Columns, and the rows of three epochs and a half: one that runs, the one before, the one before
/// that, which is written, and one that was written, whose memory serves again. Those of one more
/// where two are under way.
std::uint64_t sample_bytes(const NetworkPlan& plan, std::int64_t epoch_steps, int under_way) {
  std::uint64_t bytes = 0;
  const std::int64_t halves = 5 + 2 * under_way;
  for (std::size_t r = 0; r < plan.reports.size(); ++r) {
    const models::ReportLayout& layout = plan.reports[r];
    const SampleTimes& times = plan.run.samples[r];
    bytes += bytes_of(layout.node_ids) + bytes_of(layout.index_pointers) +
             bytes_of(layout.element_ids) + bytes_of(layout.element_pos);
    const auto rows = static_cast<std::uint64_t>(
        std::min(times.count, halves * epoch_steps / (2 * times.every) + 1));
    bytes += rows * layout.element_ids.size() * sizeof(double);
  }
  return bytes;
}

}  // namespace hillock::simulator
