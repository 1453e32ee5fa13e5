#pragma once
// The trains of all stimuli onto some cells: which event of which train comes next.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/state/state_walk.hpp"
#include "network/event_sources.hpp"
#include "network/events.hpp"

namespace hillock::network {

/// One cell's train of a stimulus.
struct DrivenCell {
  EventTrain train;
  std::uint64_t source = 0;  ///< orders events: first_stimulus_source + stimulus
  std::uint32_t table = 0;   ///< of the inbox
  std::uint32_t number = 0;  ///< the source in that table
  double delay_ms = 0;
  std::uint32_t cell = 0;  ///< of the range; a stimulus has one train a cell
};

class Trains {
 public:
  Trains() = default;
  /// trains: by table, and of a table by cell.
  explicit Trains(std::vector<DrivenCell> trains);

  /// Calls body(step, time_ms, train) for what arrives at steps [first, last), each train in the
  /// order of time; what arrives before is forgotten: there is nothing before t = 0.
  template <class Body>
  void drive(std::int64_t first, std::int64_t last, const Boundaries& boundaries,
             const Body& body) {
    const double end_ms = (static_cast<double>(last) + 1) * boundaries.dt_ms;  // surely later
    if (!(next_ms() < end_ms)) return;
    for (std::size_t block = 0; block < next_of_block_.size(); ++block) {
      if (!(next_of_block_[block] < end_ms)) continue;
      const std::size_t end = std::min((block + 1) * trains_of_block, trains_.size());
      for (std::size_t i = block * trains_of_block; i < end; ++i)
        while (next_[i] < end_ms) {
          const std::int64_t step = boundaries.step_of(next_[i]);
          if (step >= last) break;
          if (step >= first) body(step, next_[i], trains_[i]);
          trains_[i].train.advance();
          next_[i] = trains_[i].train.next_ms() + trains_[i].delay_ms;
        }
      find_next_of(block);
    }
    find_next();
  }

  /// Where a train is.
  struct Place {
    std::size_t train;  ///< in all()
    double next_ms;     ///< EventTrain
    std::uint64_t position;
  };
  Place place_of(const DrivenCell& train) const {
    return {number_of(train), train.train.next_ms(), train.train.position()};
  }
  /// Each train goes back to the first of its places, which are in the order in which it went on.
  void go_back(std::span<const Place> places);

  /// When the next event comes; infinity when there is none.
  double next_ms() const { return earliest_ms_; }
  /// As they were given.
  std::span<const DrivenCell> all() const { return trains_; }
  /// Where in all() a train is.
  std::size_t number_of(const DrivenCell& train) const {
    return static_cast<std::size_t>(&train - trains_.data());
  }
  std::size_t bytes() const;

  /// Saves or restores where the trains are that are not over, of the cells of the range that
  /// `state` has begun: in columns "trains/STIMULUS" the next event's time and its position.
  void walk(StateWalk& state);

 private:
  /// Of so many side by side is known when the next of their events comes.
  static constexpr std::size_t trains_of_block = 64;

  void walk(StateWalk& state, std::span<DrivenCell> of_stimulus);
  void find_all();
  void find_next_of(std::size_t block);
  void find_next();

  std::vector<DrivenCell> trains_;
  std::vector<double> next_;           ///< [train] when its next event arrives, ms
  std::vector<double> next_of_block_;  ///< [block] the first of them
  double earliest_ms_ = std::numeric_limits<double>::infinity();
};

}  // namespace hillock::network
