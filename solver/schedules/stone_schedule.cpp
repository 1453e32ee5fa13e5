#include "solver/schedules/stone_schedule.hpp"

#include <algorithm>
#include <numeric>

#include "core/index.hpp"

namespace hillock::solver {
namespace {

/// Rows by distance from the root; returns each row's distance.
std::vector<int> order_rows(std::span<const int> parent, StoneSchedule& s) {
  std::vector<int> depth(parent.size(), 0);
  for (std::size_t i = 1; i < parent.size(); ++i) depth[i] = depth[at(parent[i])] + 1;
  s.node_of_row.resize(parent.size());
  std::iota(s.node_of_row.begin(), s.node_of_row.end(), 0);
  std::stable_sort(s.node_of_row.begin(), s.node_of_row.end(),
                   [&](int a, int b) { return depth[at(a)] < depth[at(b)]; });
  std::vector<int> row_of_node(parent.size()), depth_of_row;
  for (std::size_t row = 0; row < parent.size(); ++row)
    row_of_node[at(s.node_of_row[row])] = static_cast<int>(row);
  for (const int node : s.node_of_row) {
    s.parent_of_row.push_back(node == 0 ? -1 : row_of_node[at(parent[at(node)])]);
    depth_of_row.push_back(depth[at(node)]);
  }
  return depth_of_row;
}

/// Branches in breadth-first order, which puts children of a branch side by side.
void cut_branches(StoneSchedule& s) {
  std::vector<std::vector<int>> children(at(s.n));
  for (int row = 1; row < s.n; ++row) children[at(s.parent_of_row[at(row)])].push_back(row);
  std::vector<int> tops{0};
  s.level_first = {0};
  s.branch_first = {0};
  std::size_t next = 0;
  while (next < tops.size()) {
    s.level_first.push_back(static_cast<int>(tops.size()));
    for (const std::size_t end = tops.size(); next < end; ++next) {
      int row = tops[next];
      s.branch_rows.push_back(row);
      while (children[at(row)].size() == 1) s.branch_rows.push_back(row = children[at(row)][0]);
      s.branch_first.push_back(static_cast<int>(s.branch_rows.size()));
      s.child_first.push_back(static_cast<int>(tops.size()));
      tops.insert(tops.end(), children[at(row)].begin(), children[at(row)].end());
    }
  }
  s.child_first.push_back(static_cast<int>(tops.size()));
}

void list_ancestors(const std::vector<int>& depth_of_row, StoneSchedule& s) {
  std::vector<int> up = s.parent_of_row;
  s.ancestor_first = {0};
  for (int reach = 1; reach <= depth_of_row.back(); reach *= 2) {
    const auto first = std::lower_bound(depth_of_row.begin(), depth_of_row.end(), reach);
    s.active_first.push_back(static_cast<int>(first - depth_of_row.begin()));
    s.ancestor.insert(s.ancestor.end(), up.begin() + s.active_first.back(), up.end());
    s.ancestor_first.push_back(s.ancestor.size());
    for (std::size_t row = up.size(); row-- > 0;)
      up[row] = up[row] < 0 ? -1 : up[at(up[row])];  // rows above still hold the old reach
  }
  s.rounds = static_cast<int>(s.active_first.size());
}

}  // namespace

StoneSchedule make_stone_schedule(std::span<const int> parent) {
  check_tree(parent);
  StoneSchedule s;
  s.n = static_cast<int>(parent.size());
  const std::vector<int> depth_of_row = order_rows(parent, s);
  cut_branches(s);
  list_ancestors(depth_of_row, s);
  return s;
}

}  // namespace hillock::solver
