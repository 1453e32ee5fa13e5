#include "solver/cable/level_path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hillock::solver {

models::TreeOutline level_path(int deepest) {
  models::TreeOutline outline;
  for (int level = -1; level <= deepest; ++level) {
    outline.parent.push_back(level);
    outline.level.push_back(level);
  }
  return outline;
}

Template compose(const Template& path, const models::TreeOutline& outline,
                 std::shared_ptr<const std::vector<BranchName>> names) {
  Template cell;
  cell.columns = path.columns;
  cell.extracellular = path.extracellular;
  cell.names = std::move(names);
  const auto like = [&](std::size_t b) -> const DiscreteBranch& {
    return path.branches[static_cast<std::size_t>(outline.level[b] + 1)];
  };
  std::size_t nodes = 1;
  for (std::size_t b = 0; b < outline.size(); ++b)
    nodes += static_cast<std::size_t>(like(b).compartments) + 1;
  cell.branches.reserve(outline.size());
  cell.parent.resize(nodes);
  cell.like.resize(nodes);
  cell.parent[0] = -1;
  cell.like[0] = 0;
  int node = 1;
  for (std::size_t b = 0; b < outline.size(); ++b) {
    DiscreteBranch& branch = cell.branches.emplace_back(like(b));
    branch.parent = outline.parent[b];
    branch.is_tip = true;
    branch.start_node = 0;
    if (branch.parent >= 0) {
      DiscreteBranch& below = cell.branches[static_cast<std::size_t>(branch.parent)];
      below.is_tip = false;
      branch.start_node = below.end_node;
    }
    const int first_like = branch.first_node, count = branch.compartments + 1;
    branch.first_node = node;
    branch.end_node = node + count - 1;
    std::iota(&cell.like[static_cast<std::size_t>(node)],
              &cell.like[static_cast<std::size_t>(node)] + count, first_like);
    std::iota(&cell.parent[static_cast<std::size_t>(node)],
              &cell.parent[static_cast<std::size_t>(node)] + count, node - 1);
    cell.parent[static_cast<std::size_t>(node)] = branch.start_node;
    node += count;
  }
  return cell;
}

}  // namespace hillock::solver
