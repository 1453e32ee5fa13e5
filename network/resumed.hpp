#pragma once
// Where a run goes on that was saved, or that begins with somebody else's numbers.

#include <cstdint>
#include <limits>

namespace hillock::network {

/// The steps before `step` are done, and what arrives at their boundaries was heard of.
struct Resumed {
  std::int64_t step = 0;
  /// So was what arrives no later, where others hear at a step's end of what comes until then.
  double heard_ms = std::numeric_limits<double>::lowest();
  /// What gap junctions read in the step that begins there is in the state, whatever the other ends
  /// have.
  bool holds_gaps = false;

  bool holds_gaps_at(std::int64_t first) const { return holds_gaps && first == step; }
};

}  // namespace hillock::network
