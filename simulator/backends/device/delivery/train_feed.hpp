#pragma once
// What trains of stimuli bring in some epochs, for a device.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/device/delivery/range_events.hpp"
#include "simulator/backends/device/kernels/delivery.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

/// So many epochs of so many steps, the first of which begins at that one.
struct EqualEpochs {
  std::int64_t first = 0, steps = 1;
  std::size_t count = 0;

  std::int64_t begin(std::size_t epoch) const {
    return first + static_cast<std::int64_t>(epoch) * steps;
  }
};

/// What trains of several ranges bring in some epochs.
struct DrawnTrains {
  struct Drawn {
    TrainEvent event;
    network::Trains::Place before;
    std::uint32_t epoch;
  };

  EqualEpochs epochs;
  std::vector<std::size_t> begin;  ///< [epoch + 1] where its events begin
  std::vector<TrainEvent> events;  ///< epoch by epoch, in one of them in any order
  std::vector<std::vector<Drawn>> of_range;
  std::vector<std::vector<std::size_t>> places;  ///< [range][epoch] of its events
};

class TrainFeed {
 public:
  TrainFeed() = default;
  /// first_runs: [range] the run of its first train (ConnectionTables::train_runs).
  TrainFeed(std::span<const std::unique_ptr<RangeEvents>> ranges,
            std::vector<std::uint64_t> first_runs, const network::Boundaries& boundaries);

  std::size_t range_count() const { return ranges_.size(); }
  std::size_t train_count() const;
  /// Lets the trains go on to the end of some epochs, which follow on the last ones.
  void draw(const EqualEpochs& epochs, DrawnTrains& to, Crew& crew);
  /// Lets them go back to where one of the epochs begins that were drawn last; behind these nothing
  /// is to be taken back.
  void take_back(const DrawnTrains& drawn, std::size_t epoch);

 private:
  bool is_any_before(std::int64_t last) const;
  void draw_range(std::size_t range, DrawnTrains& to);

  std::span<const std::unique_ptr<RangeEvents>> ranges_;
  std::vector<std::uint64_t> first_runs_;
  network::Boundaries boundaries_;
};

}  // namespace hillock::simulator::on_device
