#include "solver/lanes/lane_tree.hpp"

#include <algorithm>

#include "solver/cable/ordered_tree.hpp"

namespace hillock::solver {

LaneTree lay_out_lanes(std::span<const LaneCell> cells, int lanes, RowOrder order) {
  const auto width = static_cast<std::size_t>(lanes);
  LaneTree result;
  result.lanes = lanes;
  // Lanes whose nodes lie alike share their ordered tree and its map of nodes.
  std::vector<std::shared_ptr<OrderedTree>> trees(cells.size());
  std::vector<std::size_t> like(width);  // the first lane whose nodes lie alike
  result.rows_.resize(width);
  for (std::size_t l = 0; l < width; ++l) {
    const std::size_t c = std::min(l, cells.size() - 1);
    like[l] = c;
    for (std::size_t k = 0; k < c; ++k)
      if (cells[k].cell->nodes() == cells[c].cell->nodes()) {
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

  struct Lane {
    const int* first = nullptr;  // OrderedTree's
    const int* child = nullptr;
    int* row_of = nullptr;     // [node]
    int begin = 0, count = 0;  // children of the node at hand
  };
  const std::size_t among = leaders.size();
  std::vector<Lane> lane;      // [leader]
  std::vector<int> by_leader;  // [row][leader] node, -1 in lanes without
  std::size_t about = 0;
  for (const std::size_t l : leaders) {
    lane.push_back({trees[l]->first.data(), trees[l]->child.data(), result.rows_[l]->data()});
    by_leader.push_back(trees[l]->root);
    about = std::max(about, cells[l].cell->node_count());
  }
  result.parent.reserve(about + about / 4);
  by_leader.reserve((about + about / 4) * among);
  result.parent.push_back(-1);
  // Puts the nodes of a row's children behind `next`, child by child; how many there are.
  const auto visit = [&](std::size_t row, std::vector<int>& next) {
    int most = 0;
    const int* node = &by_leader[row * among];
    for (Lane& one : lane) {
      const int here = *node++;
      one.count = 0;
      if (here < 0) continue;
      one.row_of[here] = static_cast<int>(row);
      one.begin = one.first[here];
      one.count = one.first[here + 1] - one.begin;
      most = std::max(most, one.count);
    }
    if (most == 0) return most;
    const std::size_t known = next.size();
    next.resize(known + static_cast<std::size_t>(most) * among);
    int* child = next.data() + known;
    for (int c = 0; c < most; ++c)
      for (const Lane& one : lane) *child++ = c < one.count ? one.child[one.begin + c] : -1;
    return most;
  };
  if (order == RowOrder::by_level) {
    // Rows that are known are the queue of those to visit.
    for (std::size_t row = 0; row < result.parent.size(); ++row)
      result.parent.insert(result.parent.end(), static_cast<std::size_t>(visit(row, by_leader)),
                           static_cast<int>(row));
  } else {
    std::vector<int> parents, waiting, children;  // waiting: [parent][leader], the next one last
    for (std::size_t row = 0;; ++row) {
      children.clear();
      for (int c = visit(row, children); c-- > 0;) {
        parents.push_back(static_cast<int>(row));
        const auto first = children.begin() + c * static_cast<std::ptrdiff_t>(among);
        waiting.insert(waiting.end(), first, first + static_cast<std::ptrdiff_t>(among));
      }
      if (parents.empty()) break;
      result.parent.push_back(parents.back());
      parents.pop_back();
      by_leader.insert(by_leader.end(), waiting.end() - static_cast<std::ptrdiff_t>(among),
                       waiting.end());
      waiting.resize(waiting.size() - among);
    }
  }

  const std::size_t rows = result.row_count();
  result.coupling_uS.assign(rows * width, 0);
  result.capacitance_nF.assign(rows * width, 1);
  if (among == width)
    result.nodes = std::move(by_leader);
  else
    result.nodes.resize(rows * width);
  for (std::size_t l = 0; l < width; ++l) {
    const auto k = static_cast<std::size_t>(std::ranges::find(leaders, like[l]) - leaders.begin());
    const Template& cell = *cells[std::min(l, cells.size() - 1)].cell;
    const double* const capacitance_nF = cell.columns->capacitance_nF.data();
    const double* const coupling_uS = cell.columns->coupling_uS.data();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = row * width + l;
      if (among < width) result.nodes[at] = by_leader[row * among + k];
      if (result.nodes[at] < 0) continue;
      const std::size_t place = cell.slot_of(static_cast<std::size_t>(result.nodes[at]));
      result.capacitance_nF[at] = capacitance_nF[place];
      if (row > 0) result.coupling_uS[at] = coupling_uS[place];
    }
  }
  return result;
}

}  // namespace hillock::solver
