#include "solver/cable/ordered_tree.hpp"

#include <algorithm>
#include <utility>

namespace hillock::solver {

OrderedTree::OrderedTree(const Template& cell, const std::vector<bool>* kept) {
  const std::size_t n = cell.node_count();
  std::vector<int> children(n, 0);
  for (std::size_t i = 1; i < n; ++i) ++children[static_cast<std::size_t>(cell.parent[i])];
  std::vector<char> there(n, 1);
  const auto may_go = [&](std::size_t i) {
    return cell.area_um2[i] == 0 && !(kept && !kept->empty() && (*kept)[i]);
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
  const auto is_larger = [&](int a, int b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<int> own = std::span(child).subspan(
        static_cast<std::size_t>(first[i]), static_cast<std::size_t>(first[i + 1] - first[i]));
    if (own.size() == 2 && is_larger(own[1], own[0])) std::swap(own[0], own[1]);
    if (own.size() > 2) std::stable_sort(own.begin(), own.end(), is_larger);
  }
  if (children[0] == 1 && may_go(0)) root = child[static_cast<std::size_t>(first[0])];
}

namespace {

/// Nodes and their parents, and which of them have an area; nothing else is filled.
Template outline_of(const models::Morphology& morphology) {
  Template outline;
  const auto add_node = [&](int parent, double area_um2) {
    outline.parent.push_back(parent);
    outline.area_um2.push_back(area_um2);
    return static_cast<int>(outline.parent.size()) - 1;
  };
  for (const models::Branch& branch : morphology.branches) {
    DiscreteBranch cut;
    cut.compartments = branch.compartments;
    cut.start_node =
        branch.parent < 0 ? add_node(-1, 0) : node_at(outline, branch.parent, branch.at).value;
    int last = cut.start_node;
    for (int i = 0; i < branch.compartments; ++i) {
      last = add_node(last, 1);
      if (i == 0) cut.first_node = last;
    }
    cut.end_node = add_node(last, 0);
    outline.branches.push_back(std::move(cut));
  }
  return outline;
}

}  // namespace

CellShape shape_of(const models::Morphology& morphology) {
  const Template outline = outline_of(morphology);
  const OrderedTree tree(outline);
  CellShape shape;
  shape.compartments = static_cast<std::size_t>(std::count_if(
      outline.area_um2.begin(), outline.area_um2.end(), [](double um2) { return um2 > 0; }));
  std::vector<int> nodes{tree.root};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Only where the tree forks does its shape say something new.
    int node = nodes[i];
    while (tree.children_of(node).size() == 1) node = tree.children_of(node).front();
    shape.sizes.push_back(tree.size[static_cast<std::size_t>(nodes[i])]);
    for (const int child : tree.children_of(node)) nodes.push_back(child);
  }
  return shape;
}

}  // namespace hillock::solver
