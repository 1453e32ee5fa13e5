#include "solver/lanes/lane_tree.hpp"

#include <algorithm>

namespace hillock::solver {

namespace {

/// A cell's tree without the nodes that are left out, every node's children in order.
struct OrderedTree {
  explicit OrderedTree(const LaneCell& lane) {
    const Template& cell = *lane.cell;
    const std::size_t n = cell.node_count();
    std::vector<int> children(n, 0);
    for (std::size_t i = 1; i < n; ++i) ++children[static_cast<std::size_t>(cell.parent[i])];
    std::vector<char> there(n, 1);
    const auto may_go = [&](std::size_t i) {
      return cell.area_um2[i] == 0 && !(lane.kept && !lane.kept->empty() && (*lane.kept)[i]);
    };
    for (std::size_t i = n; i-- > 1;) {
      if (children[i] > 0 || !may_go(i)) continue;
      there[i] = 0;
      --children[static_cast<std::size_t>(cell.parent[i])];
    }
    size.assign(n, 1);
    for (std::size_t i = n; i-- > 1;)
      if (there[i]) size[static_cast<std::size_t>(cell.parent[i])] += size[i];
    first.assign(n + 1, 0);
    for (std::size_t i = 1; i < n; ++i)
      if (there[i]) ++first[static_cast<std::size_t>(cell.parent[i]) + 1];
    for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
    child.resize(static_cast<std::size_t>(first[n]));
    std::vector<int> next(first.begin(), first.end() - 1);
    for (std::size_t i = 1; i < n; ++i)
      if (there[i])
        child[static_cast<std::size_t>(next[static_cast<std::size_t>(cell.parent[i])]++)] =
            static_cast<int>(i);
    for (std::size_t i = 0; i < n; ++i)
      std::stable_sort(child.begin() + first[i], child.begin() + first[i + 1], [&](int a, int b) {
        return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
      });
    if (children[0] == 1 && may_go(0)) root = child[static_cast<std::size_t>(first[0])];
  }

  std::span<const int> children_of(int node) const {
    const auto i = static_cast<std::size_t>(node);
    return std::span(child).subspan(static_cast<std::size_t>(first[i]),
                                    static_cast<std::size_t>(first[i + 1] - first[i]));
  }

  int root = 0;
  std::vector<int> first, child;  ///< children of node i: child[first[i]] … child[first[i + 1] - 1]
  std::vector<int> size;          ///< [node] of its subtree
};

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
      trees[l] = std::make_shared<OrderedTree>(cells[l]);
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

std::vector<int> shape_of(const Template& cell) {
  const OrderedTree tree(LaneCell{&cell, nullptr});
  std::vector<int> nodes{tree.root}, shape;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Only where the tree forks does its shape say something new.
    int node = nodes[i];
    while (tree.children_of(node).size() == 1) node = tree.children_of(node).front();
    shape.push_back(tree.size[static_cast<std::size_t>(nodes[i])]);
    for (const int child : tree.children_of(node)) nodes.push_back(child);
  }
  return shape;
}

}  // namespace hillock::solver
