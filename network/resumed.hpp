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
};

}  // namespace hillock::network
