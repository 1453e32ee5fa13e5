#include "solver/batch.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hillock::solver {

InvalidTree::InvalidTree(std::size_t tree, std::size_t node, const std::string& problem)
    : Error("tree " + std::to_string(tree) + ", node " + std::to_string(node) + ": " + problem),
      tree_(tree),
      node_(node) {}

InvalidBatch::InvalidBatch(std::size_t systems, std::size_t compartments,
                           const std::string& problem)
    : Error("batch of " + std::to_string(systems) + " systems, " + std::to_string(compartments) +
            " compartments in all: " + problem),
      systems_(systems),
      compartments_(compartments) {}

void check_tree(std::span<const int> parent, std::size_t tree) {
  if (parent.empty()) throw InvalidTree(tree, 0, "a tree has at least its root");
  if (parent[0] != -1) throw InvalidTree(tree, 0, "the root's parent must be -1");
  for (std::size_t i = 1; i < parent.size(); ++i)
    if (parent[i] < 0 || parent[i] >= static_cast<int>(i))
      throw InvalidTree(
          tree, i,
          "its parent is " + std::to_string(parent[i]) + " (a parent must precede its children)");
}

Forest::Forest(const std::vector<std::vector<int>>& trees, std::vector<int> tree_of_system)
    : tree_of_system_(std::move(tree_of_system)) {
  tree_first_.push_back(0);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    check_tree(trees[t], t);
    parent_.insert(parent_.end(), trees[t].begin(), trees[t].end());
    tree_first_.push_back(parent_.size());
  }
  for (std::size_t s = 0; s < tree_of_system_.size(); ++s)
    if (tree_of_system_[s] < 0 || tree_of_system_[s] >= static_cast<int>(trees.size()))
      throw InvalidBatch(tree_of_system_.size(), 0,
                         "system " + std::to_string(s) + " names tree " +
                             std::to_string(tree_of_system_[s]) + " of " +
                             std::to_string(trees.size()));
  index_systems();
}

Forest Forest::uniform(const std::vector<int>& parent, std::size_t n_systems) {
  return Forest({parent}, std::vector<int>(n_systems, 0));
}

Forest Forest::part(std::size_t begin, std::size_t end) const {
  if (begin > end || end > n_systems())
    throw InvalidBatch(n_systems(), total(), "a part reaches beyond the batch");
  Forest part;
  part.parent_ = parent_;
  part.tree_first_ = tree_first_;
  part.tree_of_system_.assign(tree_of_system_.begin() + static_cast<std::ptrdiff_t>(begin),
                              tree_of_system_.begin() + static_cast<std::ptrdiff_t>(end));
  part.index_systems();
  return part;
}

void Forest::index_systems() {
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

void check_size(std::size_t systems, std::size_t compartments, std::size_t size, const char* what) {
  if (size != compartments)
    throw InvalidBatch(systems, compartments, "it was given " + std::to_string(size) + " " + what);
}

}  // namespace hillock::solver
