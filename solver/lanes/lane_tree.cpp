#include "solver/lanes/lane_tree.hpp"

#include <algorithm>

#include "solver/cable/ordered_tree.hpp"

namespace hillock::solver {

namespace {

/// The nodes that share a row, -1 in lanes without, and that row's parent.
struct Visit {
  std::vector<int> nodes;
  int parent = -1;
};

}  // namespace

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

  std::vector<Visit> to_visit{{std::vector<int>(leaders.size()), -1}};
  for (std::size_t k = 0; k < leaders.size(); ++k) to_visit[0].nodes[k] = trees[leaders[k]]->root;
  std::vector<int> by_leader;  // [row][leader]
  for (std::size_t at = 0; at < to_visit.size(); ++at) {
    const Visit visit = std::move(to_visit[at]);
    const int row = static_cast<int>(result.parent.size());
    result.parent.push_back(visit.parent);
    by_leader.insert(by_leader.end(), visit.nodes.begin(), visit.nodes.end());
    std::size_t most = 0;
    for (std::size_t k = 0; k < leaders.size(); ++k) {
      if (visit.nodes[k] < 0) continue;
      (*result.rows_[leaders[k]])[static_cast<std::size_t>(visit.nodes[k])] = row;
      most = std::max(most, trees[leaders[k]]->children_of(visit.nodes[k]).size());
    }
    for (std::size_t c = 0; c < most; ++c) {
      Visit next{std::vector<int>(leaders.size(), -1), row};
      for (std::size_t k = 0; k < leaders.size(); ++k) {
        if (visit.nodes[k] < 0) continue;
        const auto children = trees[leaders[k]]->children_of(visit.nodes[k]);
        if (c < children.size()) next.nodes[k] = children[c];
      }
      to_visit.push_back(std::move(next));
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
