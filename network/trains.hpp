#pragma once
// The trains of all stimuli onto some cells: which event of which train comes next.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/state.hpp"
#include "network/event_sources.hpp"

namespace hillock::network {

/// One cell's train of a stimulus.
struct DrivenCell {
  EventTrain train;
  std::uint64_t source = 0;  ///< orders events: first_stimulus_source + stimulus
  std::uint32_t table = 0;   ///< of the inbox
  std::uint32_t number = 0;  ///< the source in that table
  double delay_ms = 0;
};

class Trains {
 public:
  Trains() = default;
  /// first_table: the first of the tables that trains lead to. counts: how many trains each of
  /// them has, over or not.
  Trains(std::vector<DrivenCell> trains, std::size_t first_table,
         std::vector<std::uint64_t> counts);

  /// Calls body(step, time_ms, train) for what arrives at steps [first, last), train by train in
  /// the order of time; what arrives before is forgotten: there is nothing before t = 0.
  template <class Body>
  void drive(std::int64_t first, std::int64_t last, double dt_ms, const Body& body) {
    while (const DrivenCell* next = next_before(last, dt_ms)) {
      if (next_step_ >= first) body(next_step_, next_ms_, *next);
      advance();
    }
  }

  /// When the next event comes; infinity when there is none.
  double next_ms() const {
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().time_ms;
  }
  /// As they were given.
  std::span<const DrivenCell> all() const { return trains_; }
  /// Where in all() a train is.
  std::size_t number_of(const DrivenCell& train) const {
    return static_cast<std::size_t>(&train - trains_.data());
  }
  std::size_t bytes() const;

  /// Saves or restores where the trains are, in columns "PREFIX/trains/...".
  void walk(StateWalk& state, const std::string& prefix);

 private:
  struct Next {
    double time_ms = 0;
    std::uint32_t train = 0;

    bool operator>(const Next& other) const { return time_ms > other.time_ms; }
  };

  void find_next();
  const DrivenCell* next_before(std::int64_t last, double dt_ms);
  void advance();

  std::vector<DrivenCell> trains_;
  std::size_t first_table_ = 0;
  std::vector<std::uint64_t> counts_;
  std::vector<Next> heap_;  ///< of those that have events left, the next one first
  std::int64_t next_step_ = 0;
  double next_ms_ = 0;
};

}  // namespace hillock::network
