#include "solver/cable/ordered_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace hillock::solver {

OrderedTree::OrderedTree(const Template& cell, const std::vector<bool>* kept) {
  const std::size_t n = cell.node_count();
  const bool keeps = kept && !kept->empty();
  const auto may_go = [&](std::size_t i) {
    return cell.area_um2(i) == 0 && !(keeps && (*kept)[i]);
  };
  // first[i + 1]: children of node i, all of which come after it.
  first.assign(n + 1, 0);
  size.assign(n, 1);
  for (std::size_t i = n; i-- > 1;) {
    const auto parent = static_cast<std::size_t>(cell.parent[i]);
    if (first[i + 1] == 0 && may_go(i)) {
      size[i] = 0;
      continue;
    }
    size[parent] += size[i];
    ++first[parent + 1];
  }
  const bool goes_root = first[1] == 1 && may_go(0);
  std::partial_sum(first.begin(), first.end(), first.begin());
  child.resize(static_cast<std::size_t>(first[n]));
  std::vector<int> next(first.begin(), first.end() - 1);
  for (std::size_t i = 1; i < n; ++i)
    if (size[i] > 0)
      child[static_cast<std::size_t>(next[static_cast<std::size_t>(cell.parent[i])]++)] =
          static_cast<int>(i);
  const auto is_larger = [&](int a, int b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (first[i + 1] - first[i] < 2) continue;
    const auto begin = child.begin() + first[i], end = child.begin() + first[i + 1];
    if (end - begin > 2)
      std::stable_sort(begin, end, is_larger);
    else if (is_larger(begin[1], begin[0]))
      std::swap(begin[0], begin[1]);
  }
  if (goes_root) root = child[static_cast<std::size_t>(first[0])];
}

CellShape shape_of(const models::RandomTree& tree, const models::TreeOutline& outline) {
  const std::size_t n = outline.size();
  std::vector<int> size(n), children(n, 0);
  std::vector<std::array<int, 2>> pair(n);
  CellShape shape;
  for (std::size_t b = n; b-- > 0;) {
    const int own = models::compartments_at(tree, outline.level[b]);
    shape.compartments += static_cast<std::size_t>(own);
    size[b] += own + (children[b] > 0 ? 1 : 0);  // the fork or joint at its end
    if (b == 0) break;
    const auto parent = static_cast<std::size_t>(outline.parent[b]);
    size[parent] += size[b];
    // They come last to first; of equal ones the first goes first.
    std::array<int, 2>& two = pair[parent];
    const auto own_number = static_cast<int>(b);
    if (children[parent]++ == 0)
      two[0] = own_number;
    else if (size[b] >= size[static_cast<std::size_t>(two[0])])
      two = {own_number, two[0]};
    else
      two[1] = own_number;
  }
  std::vector<std::size_t> branches{0};
  for (std::size_t i = 0; i < branches.size(); ++i) {
    // Only where the tree forks does its shape say something new.
    std::size_t b = branches[i];
    while (children[b] == 1) b = static_cast<std::size_t>(pair[b][0]);
    shape.sizes.push_back(size[branches[i]]);
    for (int c = 0; c < children[b]; ++c)
      branches.push_back(static_cast<std::size_t>(pair[b][static_cast<std::size_t>(c)]));
  }
  return shape;
}

}  // namespace hillock::solver
