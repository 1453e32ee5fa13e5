#pragma once
// An event that an instance sent and still awaits, as every engine saves it.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/state/state_walk.hpp"

namespace hillock::simulator::begin {

/// In the model's terms.
struct AwaitedEvent {
  static constexpr std::uint64_t no_connection = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t rank = 0;  ///< among those of the cell, in the order of sending
  double time_ms = 0;
  std::uint64_t instance = 0;                ///< of the mechanism on the cell
  std::uint64_t connection = no_connection;  ///< of the instance
  double weight = 0;
  double flag = 0;
  bool is_spike = false;
  bool is_movable = false;
};

/// How many numbers walk_over() goes through.
inline constexpr std::size_t numbers_of_awaited = 8;

inline void walk_over(StateWalk& state, AwaitedEvent& one) {
  state.count(one.rank);
  state.number(one.time_ms);
  state.count(one.instance);
  state.count(one.connection);
  state.number(one.weight);
  state.number(one.flag);
  state.count(one.is_spike);
  state.count(one.is_movable);
}

}  // namespace hillock::simulator::begin
