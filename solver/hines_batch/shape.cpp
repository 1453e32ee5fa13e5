#include "solver/hines_batch/shape.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hillock::solver::hines_batch {

InvalidTree::InvalidTree(std::size_t tree, std::size_t node, const std::string& problem)
    : Error("tree " + std::to_string(tree) + ", node " + std::to_string(node) + ": " + problem),
      tree_(tree),
      node_(node) {}

BatchShape::BatchShape(const std::vector<std::vector<int>>& trees, std::vector<int> tree_of_system)
    : tree_of_system_(std::move(tree_of_system)) {
  tree_first_.push_back(0);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (trees[t].empty()) throw InvalidTree(t, 0, "a tree has at least its root");
    if (trees[t][0] != -1) throw InvalidTree(t, 0, "the root's parent must be -1");
    for (std::size_t i = 1; i < trees[t].size(); ++i)
      if (trees[t][i] < 0 || trees[t][i] >= static_cast<int>(i))
        throw InvalidTree(t, i, "a parent must precede its children");
    parent_.insert(parent_.end(), trees[t].begin(), trees[t].end());
    tree_first_.push_back(parent_.size());
  }
  for (const int t : tree_of_system_)
    if (t < 0 || t >= static_cast<int>(trees.size()))
      throw MismatchedBatch("a system names tree " + std::to_string(t) + " of " +
                            std::to_string(trees.size()));
  index_systems();
}

BatchShape BatchShape::uniform(const std::vector<int>& parent, std::size_t n_systems) {
  return BatchShape({parent}, std::vector<int>(n_systems, 0));
}

BatchShape BatchShape::part(std::size_t begin, std::size_t end) const {
  if (begin > end || end > n_systems()) throw MismatchedBatch("a part reaches beyond the batch");
  BatchShape part;
  part.parent_ = parent_;
  part.tree_first_ = tree_first_;
  part.tree_of_system_.assign(tree_of_system_.begin() + static_cast<std::ptrdiff_t>(begin),
                              tree_of_system_.begin() + static_cast<std::ptrdiff_t>(end));
  part.index_systems();
  return part;
}

void BatchShape::index_systems() {
  first_.assign(1, 0);
  first_.reserve(n_systems() + 1);
  largest_ = 0;
  for (const int t : tree_of_system_) {
    const auto size =
        tree_first_[static_cast<std::size_t>(t) + 1] - tree_first_[static_cast<std::size_t>(t)];
    first_.push_back(first_.back() + size);
    largest_ = std::max(largest_, static_cast<int>(size));
  }
}

}  // namespace hillock::solver::hines_batch
