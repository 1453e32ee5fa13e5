#include "solver/random_trees.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/index.hpp"
#include "core/random/random.hpp"

namespace hillock::solver {
std::vector<int> cable_tree(int compartments) {
  std::vector<int> parent;
  for (int i = 0; i < compartments; ++i) parent.push_back(i - 1);
  return parent;
}

std::vector<int> star_tree(int branches, int length) {
  std::vector<int> parent{-1};
  for (int branch = 0; branch < branches; ++branch)
    for (int i = 0; i < length; ++i)
      parent.push_back(i == 0 ? 0 : static_cast<int>(parent.size()) - 1);
  return parent;
}

std::vector<int> attachment_tree(int compartments, double chain, std::uint64_t seed) {
  RandomStream draw(seed, Purpose::morphology, {static_cast<std::uint64_t>(compartments), 1, 0});
  std::vector<int> parent{-1};
  for (int i = 1; i < compartments; ++i)
    parent.push_back(draw.uniform() < chain
                         ? i - 1
                         : static_cast<int>(draw.below(static_cast<std::uint64_t>(i))));
  return parent;
}

std::vector<int> tree_of_depth(int compartments, int depth, int branch_length, std::uint64_t seed) {
  if (depth < 0 || depth >= compartments || branch_length < 1)
    throw UsageError("no tree of " + std::to_string(compartments) + " compartments has depth " +
                     std::to_string(depth));
  RandomStream draw(
      seed, Purpose::morphology,
      {static_cast<std::uint64_t>(compartments), 2, static_cast<std::uint64_t>(depth)});
  // Built as lists of children first, then numbered depth first, as morphology files are.
  std::vector<int> parent = cable_tree(depth + 1), level;
  for (int i = 0; i <= depth; ++i) level.push_back(i);
  while (static_cast<int>(parent.size()) < compartments) {
    const int from = static_cast<int>(draw.below(parent.size()));
    const int wish =
        1 + static_cast<int>(draw.below(static_cast<std::uint64_t>(2 * branch_length)));
    const int length =
        std::min({wish, depth - level[at(from)], compartments - static_cast<int>(parent.size())});
    for (int k = 0, last = from; k < length; ++k) {
      parent.push_back(last);
      level.push_back(level[at(last)] + 1);
      last = static_cast<int>(parent.size()) - 1;
    }
    if (depth == 0) break;
  }
  std::vector<std::vector<int>> children(parent.size());
  for (int i = 1; i < compartments; ++i) children[at(parent[at(i)])].push_back(i);
  std::vector<int> renumbered;
  std::vector<std::pair<int, int>> open{{0, -1}};  // node, its parent's new number
  while (!open.empty()) {
    const auto [node, above] = open.back();
    open.pop_back();
    const int number = static_cast<int>(renumbered.size());
    renumbered.push_back(above);
    for (std::size_t c = children[at(node)].size(); c-- > 0;)
      open.emplace_back(children[at(node)][c], number);
  }
  return renumbered;
}

std::vector<int> branching_tree(const BranchingTree& shape, std::uint64_t seed,
                                std::uint64_t index) {
  RandomStream draw(seed, Purpose::morphology,
                    {index, 3, static_cast<std::uint64_t>(shape.levels)});
  std::vector<int> parent{-1};
  std::vector<int> tips{0};
  double length = shape.length;
  for (int level = 0; level < shape.levels; ++level, length *= shape.shrink) {
    std::vector<int> next;
    for (const int tip : tips) {
      const int count = level > 0 && draw.uniform() < shape.split ? 2 : 1;
      for (int child = 0; child < count; ++child) {
        const int own = std::max(1, static_cast<int>(std::lround(length * (0.5 + draw.uniform()))));
        for (int k = 0; k < own; ++k)
          parent.push_back(k == 0 ? tip : static_cast<int>(parent.size()) - 1);
        next.push_back(static_cast<int>(parent.size()) - 1);
      }
    }
    tips = std::move(next);
  }
  return parent;
}

std::vector<int> depths_of(const std::vector<int>& parent) {
  std::vector<int> depth(parent.size(), 0);
  for (std::size_t i = 1; i < parent.size(); ++i) depth[i] = depth[at(parent[i])] + 1;
  return depth;
}

TreeSystem random_system(const std::vector<int>& parent, double ratio, std::uint64_t seed,
                         Excess excess) {
  RandomStream draw(seed, Purpose::stimulus, {parent.size(), 1, 0});
  TreeSystem system{parent, {}, std::vector<double>(parent.size(), 0), {}};
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const double a = i == 0 ? 0 : ratio * (0.5 + draw.uniform());
    system.coupling.push_back(a);
    system.diagonal[i] += a + (excess == Excess::one ? 1 : 1 + draw.uniform());
    if (i > 0) system.diagonal[at(parent[i])] += a;
    system.rhs.push_back(draw.normal());
  }
  return system;
}

}  // namespace hillock::solver
