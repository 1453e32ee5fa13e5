#pragma once
// A cell's tree with every node's children in an order that tells its shape.

#include <cstddef>
#include <span>
#include <vector>

#include "solver/cable/compartments.hpp"

namespace hillock::solver {

/// Without the zero-area leaves (and a zero-area root with one child) that nobody keeps: no current
/// flows to them, so nothing else changes. Children are ordered by the size of their subtrees.
struct OrderedTree {
  /// kept: [node] zero-area nodes that must stay; null or empty: none.
  explicit OrderedTree(const Template& cell, const std::vector<bool>* kept = nullptr);

  std::span<const int> children_of(int node) const {
    const auto i = static_cast<std::size_t>(node);
    return std::span(child).subspan(static_cast<std::size_t>(first[i]),
                                    static_cast<std::size_t>(first[i + 1] - first[i]));
  }

  int root = 0;
  std::vector<int> first, child;  ///< children of node i: child[first[i]] … child[first[i + 1] - 1]
  std::vector<int> size;          ///< [node] of its subtree; 0 of one that is left out
};

/// What of a cell tells where it is best laid out.
struct CellShape {
  /// Sizes of subtrees in that order, level by level: cells that lie next to each other when sorted
  /// by it share most of their tree.
  std::vector<int> sizes;
  std::size_t compartments = 0;
};

/// That of a random tree, on which nothing is at a branch's end.
CellShape shape_of(const models::RandomTree& tree, const models::TreeOutline& outline);

}  // namespace hillock::solver
