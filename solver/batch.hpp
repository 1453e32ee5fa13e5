#pragma once
// The one batch that every family solves: a forest of trees and the values of its systems, and what
// is thrown when they do not fit. Plain data: no layout, no device. A family's options are its own.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"

namespace hillock::solver {

// Each mistake has one exception, whichever family meets it: InvalidTree, InvalidBatch, UsageError
// for options that are out of range or cannot hold the batch, DeviceError for what CUDA refuses.

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

/// Values or sizes handed to a batch do not belong to it, or there is nothing to solve.
class InvalidBatch : public Error {
 public:
  /// compartments: of all systems.
  InvalidBatch(std::size_t systems, std::size_t compartments, const std::string& problem);
  std::size_t systems() const { return systems_; }
  std::size_t compartments() const { return compartments_; }

 private:
  std::size_t systems_, compartments_;
};

/// Throws InvalidTree unless parent is [n] with n >= 1, parent[0] = -1, every parent before its
/// children.
void check_tree(std::span<const int> parent, std::size_t tree = 0);

/// The distinct trees of a batch and which of them each system has.
class Forest {
 public:
  /// trees: parent arrays, [0] = -1 and every parent before its children.
  /// tree_of_system: [n_systems] indices into trees.
  /// Throws InvalidTree, or InvalidBatch for an index that names no tree.
  Forest(const std::vector<std::vector<int>>& trees, std::vector<int> tree_of_system);

  /// n systems of one tree.
  static Forest uniform(const std::vector<int>& parent, std::size_t n_systems);

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
  Forest part(std::size_t begin, std::size_t end) const;

 private:
  Forest() = default;
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
struct BatchValues {
  std::vector<T> diagonal, coupling, rhs;
};

/// Throws InvalidBatch unless an array has a value a compartment; what: "diagonals", for people.
void check_size(std::size_t systems, std::size_t compartments, std::size_t size, const char* what);

/// Throws InvalidBatch when the values are not those of the forest.
template <class T>
void check_values(const Forest& forest, const BatchValues<T>& values) {
  const std::size_t systems = forest.n_systems(), compartments = forest.total();
  check_size(systems, compartments, values.diagonal.size(), "diagonals");
  check_size(systems, compartments, values.coupling.size(), "couplings");
  check_size(systems, compartments, values.rhs.size(), "right-hand sides");
}

}  // namespace hillock::solver
