#pragma once
// In which order a tree's rows come.

namespace hillock::solver {

/// A parent precedes its children, and children keep their order.
enum class RowOrder {
  by_level,   ///< by depth
  by_branch,  ///< an unbranched run of rows without a gap
};

}  // namespace hillock::solver
