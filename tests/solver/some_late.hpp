#pragma once
// Which nodes of a tree have diagonals that change, for schedules of contraction.

#include <cstddef>
#include <random>
#include <vector>

namespace hillock::solver {

/// [node] drawn: a node's diagonal changes with probability `share`.
inline std::vector<char> some_late(std::size_t nodes, double share, std::mt19937& random) {
  std::vector<char> is_late(nodes);
  for (char& late : is_late) late = std::uniform_real_distribution(0.0, 1.0)(random) < share;
  return is_late;
}

}  // namespace hillock::solver
