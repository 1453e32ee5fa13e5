#include "solver/lanes/lane_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "solver/cable/ordered_tree.hpp"
#include "solver/lanes/shared_rows.hpp"

namespace hillock::solver {

namespace {

/// [lane] the first one whose nodes lie alike. Lanes beyond the cells are the last cell's.
std::vector<std::size_t> lanes_alike(std::span<const LaneCell> cells, std::size_t width) {
  std::vector<std::size_t> like(width);
  for (std::size_t l = 0; l < width; ++l) {
    const std::size_t c = std::min(l, cells.size() - 1);
    like[l] = c;
    for (std::size_t k = 0; k < c; ++k)
      if (cells[k].cell->nodes() == cells[c].cell->nodes()) {
        like[l] = k;
        break;
      }
  }
  return like;
}

/// Puts the nodes of several ordered trees side by side, row after row.
class RowsOfTrees {
 public:
  /// A tree joins before its first row is made. row_of: [node], to be found.
  void add(std::shared_ptr<const OrderedTree> tree, std::vector<int>& row_of) {
    lanes_.push_back({tree->first.data(), tree->child.data(), row_of.data()});
    nodes.push_back(tree->root);
    trees_.push_back(std::move(tree));
  }

  void reserve(std::size_t rows) {
    parent.reserve(rows);
    nodes.reserve(rows * lanes_.size());
  }

  /// Rows that are known are the queue of those to visit.
  void lay_out_by_level() {
    for (std::size_t row = 0; row < parent.size(); ++row)
      parent.insert(parent.end(), static_cast<std::size_t>(visit(row, nodes)),
                    static_cast<int>(row));
  }

  void lay_out_depth_first() {
    const std::size_t among = lanes_.size();
    std::vector<int> parents, waiting, children;  // waiting: [parent][tree], the next one last
    for (std::size_t row = 0;; ++row) {
      children.clear();
      for (int c = visit(row, children); c-- > 0;) {
        parents.push_back(static_cast<int>(row));
        const auto first = children.begin() + c * static_cast<std::ptrdiff_t>(among);
        waiting.insert(waiting.end(), first, first + static_cast<std::ptrdiff_t>(among));
      }
      if (parents.empty()) break;
      parent.push_back(parents.back());
      parents.pop_back();
      nodes.insert(nodes.end(), waiting.end() - static_cast<std::ptrdiff_t>(among), waiting.end());
      waiting.resize(waiting.size() - among);
    }
  }

  /// Of one tree.
  void put_in_order(std::span<const int> order) {
    std::vector<int> row_now(order.size()), parents(order.size()), moved(order.size());
    for (std::size_t row = 0; row < order.size(); ++row)
      row_now[static_cast<std::size_t>(order[row])] = static_cast<int>(row);
    for (std::size_t row = 0; row < order.size(); ++row) {
      const auto was = static_cast<std::size_t>(order[row]);
      parents[row] = parent[was] < 0 ? -1 : row_now[static_cast<std::size_t>(parent[was])];
      moved[row] = nodes[was];
      lanes_.front().row_of[moved[row]] = static_cast<int>(row);
    }
    parent = std::move(parents);
    nodes = std::move(moved);
  }

  std::vector<int> parent{-1};  ///< [row]
  std::vector<int> nodes;       ///< [row][tree], -1 in trees without

 private:
  struct Lane {
    const int* first = nullptr;  // OrderedTree's
    const int* child = nullptr;
    int* row_of = nullptr;     // [node]
    int begin = 0, count = 0;  // children of the node at hand
  };

  /// Puts the nodes of a row's children behind `next`, child by child; how many there are.
  int visit(std::size_t row, std::vector<int>& next) {
    const std::size_t among = lanes_.size();
    int most = 0;
    const int* node = &nodes[row * among];
    for (Lane& one : lanes_) {
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
      for (const Lane& one : lanes_) *child++ = c < one.count ? one.child[one.begin + c] : -1;
    return most;
  }

  std::vector<Lane> lanes_;
  std::vector<std::shared_ptr<const OrderedTree>> trees_;
};

}  // namespace

LaneTree lay_out_lanes(std::span<const LaneCell> cells, int lanes, RowOrder order,
                       std::size_t parts) {
  const auto width = static_cast<std::size_t>(lanes);
  LaneTree result;
  result.lanes = lanes;
  result.rows_.resize(width);
  // Lanes whose nodes lie alike share their ordered tree and its map of nodes.
  const std::vector<std::size_t> like = lanes_alike(cells, width);
  std::vector<std::size_t> leaders;
  RowsOfTrees trees;
  std::size_t about = 0;
  for (std::size_t l = 0; l < width; ++l) {
    result.is_uniform_ = result.is_uniform_ && like[l] == 0;
    if (like[l] != l) {
      result.rows_[l] = result.rows_[like[l]];
      continue;
    }
    leaders.push_back(l);
    result.rows_[l] = std::make_shared<std::vector<int>>(cells[l].cell->node_count(), -1);
    trees.add(std::make_shared<OrderedTree>(*cells[l].cell, cells[l].kept), *result.rows_[l]);
    about = std::max(about, cells[l].cell->node_count());
  }
  trees.reserve(about + about / 4);
  if (order == RowOrder::by_level)
    trees.lay_out_by_level();
  else
    trees.lay_out_depth_first();
  if (parts > 1) {
    if (lanes > 1) throw std::invalid_argument("threads share the rows of one lane alone");
    SharedRows shared = share_rows(trees.parent, parts);
    trees.put_in_order(shared.order);
    result.parts_ = std::move(shared.begin);
  }
  result.parent = std::move(trees.parent);

  const std::size_t rows = result.row_count(), among = leaders.size();
  result.coupling_uS.assign(rows * width, 0);
  result.capacitance_nF.assign(rows * width, 1);
  if (among == width)
    result.nodes = std::move(trees.nodes);
  else
    result.nodes.resize(rows * width);
  for (std::size_t l = 0; l < width; ++l) {
    const auto k = static_cast<std::size_t>(std::ranges::find(leaders, like[l]) - leaders.begin());
    const Template& cell = *cells[std::min(l, cells.size() - 1)].cell;
    const double* const capacitance_nF = cell.columns->capacitance_nF.data();
    const double* const coupling_uS = cell.columns->coupling_uS.data();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = row * width + l;
      if (among < width) result.nodes[at] = trees.nodes[row * among + k];
      if (result.nodes[at] < 0) continue;
      const std::size_t place = cell.slot_of(static_cast<std::size_t>(result.nodes[at]));
      result.capacitance_nF[at] = capacitance_nF[place];
      if (row > 0) result.coupling_uS[at] = coupling_uS[place];
    }
  }
  return result;
}

}  // namespace hillock::solver
