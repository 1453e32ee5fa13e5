#include "solver/schedules/branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hillock::solver::branch {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

using Neighbours = std::vector<std::vector<int>>;

/// The node farthest from `from`, and by `back` the way to it.
int farthest(const Neighbours& next, int from, std::vector<int>& back) {
  std::vector<int> open{from};
  back.assign(next.size(), -2);
  back[at(from)] = -1;
  int last = from;
  for (std::size_t k = 0; k < open.size(); ++k) {
    last = open[k];
    for (const int other : next[at(last)])
      if (back[at(other)] == -2) {
        back[at(other)] = last;
        open.push_back(other);
      }
  }
  return last;
}

/// The middle of the longest path.
int centre(const Neighbours& next) {
  std::vector<int> back;
  const int one_end = farthest(next, 0, back);
  int node = farthest(next, one_end, back), length = 0;
  for (int i = node; i >= 0; i = back[at(i)]) ++length;
  for (int k = 0; k < length / 2; ++k) node = back[at(node)];
  return node;
}

int length_of(const Branch& branch) {
  return static_cast<int>(branch.nodes.size());
}

/// Leaves the first `keep` nodes in branch `index`; the rest becomes the branch its children hang
/// on.
void cut(BranchTree& tree, std::vector<std::vector<int>>& children, int index, int keep) {
  const int rest = static_cast<int>(tree.branches.size());
  tree.branches.emplace_back();
  Branch& upper = tree.branches[at(index)];
  Branch& lower = tree.branches.back();
  lower.nodes.assign(upper.nodes.begin() + keep, upper.nodes.end());
  upper.nodes.resize(at(keep));
  lower.parent = index;
  children.push_back(std::move(children[at(index)]));
  children[at(index)] = {rest};
  for (const int child : children.back()) tree.branches[at(child)].parent = rest;
}

std::vector<std::vector<int>> children_of(const BranchTree& tree) {
  std::vector<std::vector<int>> children(tree.branches.size());
  for (std::size_t b = 0; b < tree.branches.size(); ++b)
    if (tree.branches[b].parent >= 0)
      children[at(tree.branches[b].parent)].push_back(static_cast<int>(b));
  return children;
}

/// Numbers branches level by level again after cuts.
void renumber(BranchTree& tree) {
  const auto children = children_of(tree);
  std::vector<int> order, number(tree.branches.size());
  for (std::size_t b = 0; b < tree.branches.size(); ++b)
    if (tree.branches[b].parent < 0) order.push_back(static_cast<int>(b));
  for (std::size_t k = 0; k < order.size(); ++k) {
    number[at(order[k])] = static_cast<int>(k);
    for (const int child : children[at(order[k])]) order.push_back(child);
  }
  std::vector<Branch> branches;
  for (const int b : order) {
    branches.push_back(std::move(tree.branches[at(b)]));
    Branch& branch = branches.back();
    if (branch.parent >= 0) {
      branch.parent = number[at(branch.parent)];
      branch.level = branches[at(branch.parent)].level + 1;
    }
  }
  tree.branches = std::move(branches);
}

}  // namespace

BranchTree to_branches(std::span<const int> parent, BranchRoot root) {
  Neighbours next(parent.size());
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (i == 0) continue;
    next[i].push_back(parent[i]);
    next[at(parent[i])].push_back(static_cast<int>(i));
  }
  const int top = root == BranchRoot::centre ? centre(next) : 0;
  BranchTree tree;
  tree.above.assign(parent.size(), -1);
  tree.coupling_of.assign(parent.size(), -1);
  tree.branches.push_back({{top}, -1, 0});
  for (std::size_t b = 0; b < tree.branches.size(); ++b) {
    for (;;) {
      const int tip = tree.branches[b].nodes.back();
      std::vector<int> below;
      for (const int other : next[at(tip)])
        if (other != tree.above[at(tip)]) below.push_back(other);
      for (const int other : below) {
        tree.above[at(other)] = tip;
        tree.coupling_of[at(other)] = parent[at(other)] == tip ? other : tip;
      }
      if (below.size() == 1) {
        tree.branches[b].nodes.push_back(below.front());
        continue;
      }
      for (const int other : below)
        tree.branches.push_back({{other}, static_cast<int>(b), tree.branches[b].level + 1});
      break;
    }
  }
  return tree;
}

void cut_at_level_mean(std::vector<BranchTree>& trees, std::span<const std::size_t> cells) {
  std::vector<std::vector<std::vector<int>>> children;
  std::vector<std::vector<int>> level(trees.size(), std::vector<int>{0});  // branches on this level
  for (const BranchTree& tree : trees) children.push_back(children_of(tree));
  for (bool any = true; any;) {
    any = false;
    double compartments = 0, count = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
      for (const int b : level[t]) {
        compartments += static_cast<double>(cells[t]) * length_of(trees[t].branches[at(b)]);
        count += static_cast<double>(cells[t]);
      }
    const int mean = count > 0 ? static_cast<int>(std::ceil(compartments / count)) : 1;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      std::vector<int> next;
      for (const int b : level[t]) {
        if (length_of(trees[t].branches[at(b)]) > mean) cut(trees[t], children[t], b, mean);
        next.insert(next.end(), children[t][at(b)].begin(), children[t][at(b)].end());
      }
      level[t] = std::move(next);
      any = any || !level[t].empty();
    }
  }
  for (BranchTree& tree : trees) renumber(tree);
}

void cut_locally(BranchTree& tree, double level_cost) {
  auto children = children_of(tree);
  // Estimated time from the start of each branch to the tips below it, were nothing cut.
  std::vector<double> path(tree.branches.size()), below(tree.branches.size(), 0);
  for (std::size_t b = tree.branches.size(); b-- > 0;) {
    path[b] = length_of(tree.branches[b]) + level_cost + below[b];
    if (const int p = tree.branches[b].parent; p >= 0)
      below[at(p)] = std::max(below[at(p)], path[b]);
  }
  std::vector<int> level{0};
  while (!level.empty()) {
    int longest = 0;
    std::vector<int> lengths;
    for (const int b : level) lengths.push_back(length_of(tree.branches[at(b)]));
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    double best = std::numeric_limits<double>::infinity();
    for (const int candidate : lengths) {
      double rest = 0;
      for (const int b : level) {
        const int over = length_of(tree.branches[at(b)]) - candidate;
        rest = std::max(rest, below[at(b)] + (over > 0 ? over + level_cost : 0));
      }
      if (candidate + rest <= best) {  // the longest of equals: fewer pieces
        best = candidate + rest;
        longest = candidate;
      }
    }
    std::vector<int> next;
    for (const int b : level) {
      if (length_of(tree.branches[at(b)]) > longest) {
        below.push_back(below[at(b)]);
        cut(tree, children, b, longest);
      }
      next.insert(next.end(), children[at(b)].begin(), children[at(b)].end());
    }
    level = std::move(next);
  }
  renumber(tree);
}

}  // namespace hillock::solver::branch
