#include "solver/lanes/lane_tree.hpp"

#include <algorithm>

#include "solver/cable/ordered_tree.hpp"

namespace hillock::solver {

LaneTree lay_out_lanes(std::span<const LaneCell> cells, int lanes) {
  const auto width = static_cast<std::size_t>(lanes);
  LaneTree result;
  result.lanes = lanes;
  // Lanes of one template share its ordered tree and its map of nodes.
  std::vector<std::shared_ptr<OrderedTree>> trees(cells.size());
  std::vector<std::size_t> like(width);  // the first lane of the same template
  result.rows_.resize(width);
  for (std::size_t l = 0; l < width; ++l) {
    const std::size_t c = std::min(l, cells.size() - 1);
    like[l] = c;
    for (std::size_t k = 0; k < c; ++k)
      if (cells[k].cell == cells[c].cell) {
        like[l] = k;
        break;
      }
    if (like[l] == l) {
      trees[l] = std::make_shared<OrderedTree>(*cells[l].cell, cells[l].kept);
      result.rows_[l] = std::make_shared<std::vector<int>>(cells[l].cell->node_count(), -1);
    } else {
      result.rows_[l] = result.rows_[like[l]];
    }
    result.is_uniform_ = result.is_uniform_ && like[l] == 0;
  }
  std::vector<std::size_t> leaders;
  for (std::size_t l = 0; l < width; ++l)
    if (like[l] == l) leaders.push_back(l);

  // Rows come level by level: those that are known are the queue of those to visit.
  const std::size_t width_of_row = leaders.size();
  std::vector<int> by_leader;  // [row][leader] node, -1 in lanes without
  std::size_t about = 0;
  for (const std::size_t l : leaders) {
    by_leader.push_back(trees[l]->root);
    about = std::max(about, cells[l].cell->node_count());
  }
  result.parent.reserve(about + about / 4);
  by_leader.reserve((about + about / 4) * width_of_row);
  result.parent.push_back(-1);
  for (std::size_t row = 0; row < result.parent.size(); ++row) {
    std::size_t most = 0;
    for (std::size_t k = 0; k < width_of_row; ++k) {
      const int node = by_leader[row * width_of_row + k];
      if (node < 0) continue;
      (*result.rows_[leaders[k]])[static_cast<std::size_t>(node)] = static_cast<int>(row);
      most = std::max(most, trees[leaders[k]]->children_of(node).size());
    }
    for (std::size_t c = 0; c < most; ++c) {
      result.parent.push_back(static_cast<int>(row));
      for (std::size_t k = 0; k < width_of_row; ++k) {
        const int node = by_leader[row * width_of_row + k];
        if (node < 0) {
          by_leader.push_back(-1);
          continue;
        }
        const auto children = trees[leaders[k]]->children_of(node);
        by_leader.push_back(c < children.size() ? children[c] : -1);
      }
    }
  }

  const std::size_t rows = result.row_count();
  result.coupling_uS.assign(rows * width, 0);
  result.capacitance_nF.assign(rows * width, 1);
  result.nodes.assign(rows * width, -1);
  for (std::size_t l = 0; l < width; ++l) {
    const auto k = static_cast<std::size_t>(std::find(leaders.begin(), leaders.end(), like[l]) -
                                            leaders.begin());
    const Template& cell = *cells[like[l]].cell;
    for (std::size_t row = 0; row < rows; ++row) {
      const int node = by_leader[row * leaders.size() + k];
      if (node < 0) continue;
      const auto n = static_cast<std::size_t>(node);
      result.nodes[row * width + l] = node;
      result.capacitance_nF[row * width + l] = cell.capacitance_nF[n];
      if (row > 0) result.coupling_uS[row * width + l] = cell.coupling_uS[n];
    }
  }
  return result;
}

}  // namespace hillock::solver
