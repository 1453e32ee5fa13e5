#pragma once
// Trains of events that stimuli send: Poisson processes and given times.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/random/random.hpp"
#include "models/network.hpp"

namespace hillock::network {

/// One cell's train, handed out in order of time.
class EventTrain {
 public:
  /// A Poisson process between start and stop, keyed by (seed, stimulus, cell).
  static EventTrain poisson(double rate_Hz, double start_ms, double stop_ms, std::uint64_t seed,
                            std::uint64_t stimulus, std::uint64_t cell);
  /// The given times; they are sorted here.
  static EventTrain times(std::vector<double> times_ms);

  /// The next event's time, infinity when there is none.
  double next_ms() const { return next_ms_; }
  /// Goes on to the one after it.
  void advance();
  /// How often it has gone on.
  std::uint64_t position() const { return position_; }
  /// Puts it where it was when it had that position and that next event.
  void go_to(std::uint64_t position, double next_ms);

 private:
  EventTrain() : stream_(0, Purpose::poisson, {}) {}

  RandomStream stream_;
  double mean_interval_ms_ = std::numeric_limits<double>::infinity();
  double stop_ms_ = 0;
  std::vector<double> times_ms_;
  std::uint64_t position_ = 0;
  bool is_poisson_ = false;
  double next_ms_ = std::numeric_limits<double>::infinity();
};

}  // namespace hillock::network
