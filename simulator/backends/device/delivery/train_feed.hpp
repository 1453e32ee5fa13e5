#pragma once
// What trains of stimuli bring in an epoch, for a device.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/device/delivery/range_events.hpp"
#include "simulator/backends/device/kernels/delivery.hpp"

namespace hillock::simulator::on_device {

class TrainFeed {
 public:
  TrainFeed() = default;
  /// first_runs: [range] the run of its first train (ConnectionTables::train_runs).
  TrainFeed(std::span<const std::unique_ptr<RangeEvents>> ranges,
            std::vector<std::uint64_t> first_runs, const network::Boundaries& boundaries);

  bool is_any_before(std::int64_t last) const;
  std::size_t range_count() const { return ranges_.size(); }
  /// The events of a range's trains that arrive at steps [first, last); calls follow one another
  /// without a gap. They stay until the next call. Ranges may be driven at the same time.
  std::span<const TrainEvent> drive(std::size_t range, std::int64_t first, std::int64_t last);

 private:
  std::span<const std::unique_ptr<RangeEvents>> ranges_;
  std::vector<std::uint64_t> first_runs_;
  network::Boundaries boundaries_;
  std::vector<std::vector<TrainEvent>> events_;  ///< [range]
};

}  // namespace hillock::simulator::on_device
