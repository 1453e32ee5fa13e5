#pragma once
// How the rows of one large tree are shared among threads.

#include <cstddef>
#include <span>
#include <vector>

namespace hillock::solver {

/// An order of a tree's rows: first the trunk, then one part after the other. A part has all that
/// hangs below some of the trunk's rows, so that parts can be eliminated side by side, and then the
/// trunk. A parent still precedes its children, and rows of one parent keep their order and their
/// part: the parent meets them in the same order as before.
struct SharedRows {
  std::vector<int> order;          ///< [row] which it was
  std::vector<std::size_t> begin;  ///< [part], and where the last one ends; a part may be empty
};

/// So that the largest part and the trunk have as few rows together as they can. The rows of a part
/// are in the order in which they were given. parent: [row], a parent precedes its children.
/// Deterministic; O(rows · log parts).
SharedRows share_rows(std::span<const int> parent, std::size_t parts);

}  // namespace hillock::solver
