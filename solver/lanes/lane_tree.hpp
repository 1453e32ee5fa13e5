#pragma once
// The trees of a few cells laid over each other, one cell a lane, so that one sweep solves them
// all. Plain data: no arithmetic on voltages here (solver/lanes/sweep.hpp).

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "core/simd/lane_array.hpp"
#include "solver/cable/compartments.hpp"
#include "solver/row_order.hpp"

namespace hillock::solver {

/// One cell to be laid into a lane.
struct LaneCell {
  const Template* cell = nullptr;
  /// [node] zero-area nodes that must stay, because something sits there or is recorded there.
  const std::vector<bool>* kept = nullptr;
};

/// The rows that the lanes share. A parent precedes its children; row 0 is the root.
///
/// A cell's zero-area leaves (and a zero-area root with one child) are left out unless kept: no
/// current flows to them, so nothing else changes. A node's children are ordered by the size of
/// their subtrees, and rows (by_level) by depth, so that rows next to each other do not wait for
/// each other; lanes of different trees share rows child by child in that order, and a row that a
/// lane lacks is a cell of its own there, tied to nothing. So the order in which a cell's rows meet
/// their parents is the same whoever shares its group.
struct LaneTree {
  int lanes = 1;
  std::vector<int> parent;   ///< [row], -1 for row 0
  LaneArray coupling_uS;     ///< [row][lane] to the parent; 0 where the lane lacks the row
  LaneArray capacitance_nF;  ///< [row][lane]; 1 where the lane lacks the row
  std::vector<int> nodes;    ///< [row][lane], -1 where the lane lacks the row

  std::size_t row_count() const { return parent.size(); }
  /// The row of a node in a lane, or -1 for one that was left out.
  int row_of(std::size_t lane, NodeId node) const { return (*rows_[lane])[index(node)]; }
  /// The row of each node of a lane, or -1.
  std::span<const int> rows_of(std::size_t lane) const { return *rows_[lane]; }
  int node_of(std::size_t row, std::size_t lane) const {
    return nodes[row * static_cast<std::size_t>(lanes) + lane];
  }
  /// Of a tree whose rows threads share, where the part of each begins (SharedRows::begin); else
  /// empty.
  std::span<const std::size_t> parts() const { return parts_; }
  std::size_t part_count() const { return parts_.empty() ? 1 : parts_.size() - 1; }
  /// Whether all lanes have the same cells' rows everywhere.
  bool is_uniform() const { return is_uniform_; }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node.value); }
  std::vector<std::shared_ptr<std::vector<int>>> rows_;  ///< [lane][node]
  std::vector<std::size_t> parts_;
  bool is_uniform_ = true;

  friend LaneTree lay_out_lanes(std::span<const LaneCell>, int, RowOrder, std::size_t);
};

/// Lays cells into lanes; lanes beyond the cells repeat the last one. parts: of one cell in one
/// lane, by level within each part. Deterministic.
LaneTree lay_out_lanes(std::span<const LaneCell> cells, int lanes,
                       RowOrder order = RowOrder::by_level, std::size_t parts = 1);

}  // namespace hillock::solver
