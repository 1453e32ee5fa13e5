#include "solver/batches/stone/paper_trees.hpp"

#include <cstddef>
#include <numeric>

#include "core/errors/errors.hpp"
#include "core/index.hpp"

namespace hillock::solver {

std::vector<int> make_fork(int segments) {
  if (segments < 3) throw UsageError("a fork has at least three segments");
  const int tine = segments / 3, stem = segments - 2 * tine;
  std::vector<int> parent(at(segments));
  std::iota(parent.begin(), parent.end(), -1);
  parent[at(stem + tine)] = stem - 1;
  return parent;
}

std::vector<int> make_binary_tree(int depth) {
  if (depth < 0 || depth > 24) throw UsageError("a binary tree has 0 to 24 levels");
  std::vector<int> parent(std::size_t{1} << depth);
  parent[0] = -1;
  for (std::size_t i = 1; i < parent.size(); ++i) parent[i] = static_cast<int>(i / 2);
  return parent;
}

}  // namespace hillock::solver
