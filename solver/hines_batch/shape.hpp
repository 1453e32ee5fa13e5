#pragma once
// What a batch of Hines systems looks like, and its values system after system. Plain data: no
// layout, no device.

#include <cstddef>
#include <span>
#include <vector>

#include "core/errors.hpp"

namespace hillock::solver::hines_batch {

/// A parent array is no tree in which a parent precedes its children.
class InvalidTree : public Error {
 public:
  /// tree: its index in the batch; node: the first wrong one.
  InvalidTree(std::size_t tree, std::size_t node, const std::string& problem);
  std::size_t tree() const { return tree_; }
  std::size_t node() const { return node_; }

 private:
  std::size_t tree_, node_;
};

/// Values or sizes handed to a batch do not belong to it.
class MismatchedBatch : public Error {
  using Error::Error;
};

/// The distinct trees of a batch and which of them each system has.
class BatchShape {
 public:
  /// trees: parent arrays, [0] = -1 and every parent before its children.
  /// tree_of_system: [n_systems] indices into trees.
  /// Throws InvalidTree, or MismatchedBatch for an index that names no tree.
  BatchShape(const std::vector<std::vector<int>>& trees, std::vector<int> tree_of_system);

  /// n systems of one tree.
  static BatchShape uniform(const std::vector<int>& parent, std::size_t n_systems);

  std::size_t n_systems() const { return tree_of_system_.size(); }
  std::size_t n_trees() const { return tree_first_.size() - 1; }
  bool is_uniform() const { return n_trees() == 1; }
  int tree_of(std::size_t system) const { return tree_of_system_[system]; }
  std::span<const int> tree_of_system() const { return tree_of_system_; }

  /// Parents of one tree, [size].
  std::span<const int> parent(std::size_t tree) const {
    return std::span(parent_).subspan(tree_first_[tree], tree_first_[tree + 1] - tree_first_[tree]);
  }
  /// All trees end to end, and where each begins: [n_trees + 1].
  std::span<const int> parents() const { return parent_; }
  std::span<const std::size_t> tree_first() const { return tree_first_; }

  int size(std::size_t system) const {
    return static_cast<int>(first_[system + 1] - first_[system]);
  }
  int largest() const { return largest_; }
  /// Where system s begins in flat values: [n_systems + 1].
  std::span<const std::size_t> first() const { return first_; }
  /// Compartments of all systems.
  std::size_t total() const { return first_.back(); }

  /// Systems begin … end-1, with the same trees.
  BatchShape part(std::size_t begin, std::size_t end) const;

 private:
  BatchShape() = default;
  void index_systems();

  std::vector<int> parent_;
  std::vector<std::size_t> tree_first_;
  std::vector<int> tree_of_system_;
  std::vector<std::size_t> first_;
  int largest_ = 0;
};

/// Values of a batch in flat order: compartment i of system s at [first[s] + i], as its tree
/// numbers it. The system is
///   diagonal[i]·x[i] - coupling[i]·x[parent[i]] - Σ_children coupling[c]·x[c] = rhs[i];
/// coupling of a root is never used.
template <class T>
struct FlatValues {
  std::vector<T> diagonal, coupling, rhs;
};

}  // namespace hillock::solver::hines_batch
