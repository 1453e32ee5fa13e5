#include "solver/schedules/branch_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/index.hpp"
#include "solver/schedules/branches.hpp"

namespace hillock::solver {
namespace {

using branch::Branch;
using branch::BranchTree;

/// What packing needs to know of a tree.
struct Shape {
  std::vector<int> height;  ///< [branch] levels below it
  int levels = 0;
};

Shape shape_of(const BranchTree& tree) {
  Shape shape{std::vector<int>(tree.branches.size(), 0), 0};
  for (std::size_t b = tree.branches.size(); b-- > 0;) {
    const Branch& branch = tree.branches[b];
    shape.levels = std::max(shape.levels, branch.level + 1);
    if (branch.parent >= 0)
      shape.height[at(branch.parent)] =
          std::max(shape.height[at(branch.parent)], shape.height[b] + 1);
  }
  return shape;
}

/// A block that is being filled.
struct Filling {
  std::vector<int> trees;
  std::vector<std::vector<int>> levels;  ///< [cell][branch]
  std::vector<int> width, longest;       ///< [level]
  std::size_t values() const {
    std::size_t sum = 0;
    for (std::size_t l = 0; l < width.size(); ++l) sum += at(width[l]) * at(longest[l]);
    return sum;
  }
};

/// Levels of a tree's branches on top of what the block holds; sinks subtrees while a level would
/// be too wide and there are levels to spare below.
std::vector<int> levels_in(const Filling& block, const BranchTree& tree, const Shape& shape,
                           const BranchOptions& options) {
  std::vector<int> level(tree.branches.size());
  for (std::size_t b = 0; b < level.size(); ++b) level[b] = tree.branches[b].level;
  if (!options.sink_subtrees) return level;
  const int levels = std::max(shape.levels, static_cast<int>(block.width.size()));
  const auto children_first = [&](int b) {
    const int p = tree.branches[at(b)].parent;
    if (p >= 0) level[at(b)] = std::max(level[at(b)], level[at(p)] + 1);
  };
  for (int l = 0; l < levels; ++l) {
    std::vector<int> here;
    for (std::size_t b = 0; b < level.size(); ++b) {
      children_first(static_cast<int>(b));
      if (level[b] == l) here.push_back(static_cast<int>(b));
    }
    const int held = l < static_cast<int>(block.width.size()) ? block.width[at(l)] : 0;
    int over = held + static_cast<int>(here.size()) - options.threads;
    std::stable_sort(here.begin(), here.end(),
                     [&](int x, int y) { return shape.height[at(x)] < shape.height[at(y)]; });
    for (const int b : here) {
      if (over <= 0 || l + 1 + shape.height[at(b)] >= levels) break;
      ++level[at(b)];
      --over;
    }
  }
  for (std::size_t b = 0; b < level.size(); ++b) children_first(static_cast<int>(b));
  return level;
}

void add_cell(Filling& block, int number, const BranchTree& tree, std::vector<int> levels) {
  for (std::size_t b = 0; b < levels.size(); ++b) {
    const std::size_t l = at(levels[b]);
    if (l >= block.width.size()) {
      block.width.resize(l + 1, 0);
      block.longest.resize(l + 1, 0);
    }
    ++block.width[l];
    block.longest[l] = std::max(block.longest[l], static_cast<int>(tree.branches[b].nodes.size()));
  }
  block.trees.push_back(number);
  block.levels.push_back(std::move(levels));
}

bool fits(const Filling& block, const BranchOptions& options) {
  return static_cast<int>(block.trees.size()) <= options.most_cells &&
         block.values() <= options.most_values &&
         *std::max_element(block.width.begin(), block.width.end()) <= options.threads;
}

/// Where each branch leaves its sum: [branch] the one above it, -1 for none.
void share_inboxes(const std::vector<int>& parent, BranchPattern& p) {
  std::vector<int> received(at(p.branches()), 0);
  for (const int above : parent)
    if (above >= 0) ++received[at(above)];
  p.inbox_start.assign(1, 0);
  for (const int count : received) p.inbox_start.push_back(p.inbox_start.back() + count);
  std::vector<int> next(p.inbox_start.begin(), p.inbox_start.end() - 1);
  for (const int above : parent) p.give.push_back(above < 0 ? -1 : next[at(above)]++);
}

BranchPattern lay_out(const Filling& block, const std::vector<BranchTree>& trees) {
  struct Item {
    int cell, branch, level, length;
  };
  std::vector<Item> items;
  std::vector<int> first_node{0};
  for (std::size_t c = 0; c < block.trees.size(); ++c) {
    const BranchTree& tree = trees[at(block.trees[c])];
    first_node.push_back(first_node.back() + static_cast<int>(tree.above.size()));
    for (std::size_t b = 0; b < tree.branches.size(); ++b)
      items.push_back({static_cast<int>(c), static_cast<int>(b), block.levels[c][b],
                       static_cast<int>(tree.branches[b].nodes.size())});
  }
  std::stable_sort(items.begin(), items.end(), [&](const Item& x, const Item& y) {
    if (x.level != y.level) return x.level < y.level;
    return x.length > y.length;
  });
  BranchPattern p;
  p.trees = block.trees;
  p.slot.resize(at(first_node.back()));
  std::vector<std::vector<int>> number(block.trees.size());
  for (std::size_t c = 0; c < number.size(); ++c)
    number[c].resize(trees[at(block.trees[c])].branches.size());
  for (std::size_t l = 0, k = 0; l < block.width.size(); ++l) {
    const int width = block.width[l];
    p.level_start.push_back(p.branches());
    p.level_offset.push_back(p.storage);
    for (int j = 0; j < width; ++j, ++k) {
      const Item& item = items[k];
      const BranchTree& tree = trees[at(block.trees[at(item.cell)])];
      const Branch& branch = tree.branches[at(item.branch)];
      number[at(item.cell)][at(item.branch)] = p.branches();
      p.length.push_back(item.length);
      for (int i = 0; i < item.length; ++i)
        p.slot[at(first_node[at(item.cell)] + branch.nodes[at(i)])] = p.storage + i * width + j;
      const int above = tree.above[at(branch.nodes.front())];
      p.parent_slot.push_back(above < 0 ? -1 : p.slot[at(first_node[at(item.cell)] + above)]);
    }
    p.storage += width * block.longest[l];
  }
  p.level_start.push_back(p.branches());
  p.coupling_of.assign(at(p.storage), -1);
  std::vector<int> parent(at(p.branches()), -1);
  for (std::size_t c = 0; c < block.trees.size(); ++c) {
    const BranchTree& tree = trees[at(block.trees[c])];
    for (std::size_t i = 0; i < tree.above.size(); ++i)
      if (tree.coupling_of[i] >= 0)
        p.coupling_of[at(p.slot[at(first_node[c]) + i])] = first_node[c] + tree.coupling_of[i];
    for (std::size_t b = 0; b < tree.branches.size(); ++b)
      if (const int above = tree.branches[b].parent; above >= 0)
        parent[at(number[c][b])] = number[c][at(above)];
  }
  share_inboxes(parent, p);
  return p;
}

}  // namespace

int BranchPattern::critical_path() const {
  int sum = 0;
  for (int l = 0; l < levels(); ++l)
    sum += *std::max_element(length.begin() + level_start[at(l)],
                             length.begin() + level_start[at(l + 1)]);
  return sum;
}

BranchPlan make_branch_plan(const Forest& forest, const BranchOptions& options) {
  if (options.threads < 1 || options.threads > 1024)
    throw UsageError("branch plan: threads must be 1 to 1024");
  if (options.most_cells < 1) throw UsageError("branch plan: most_cells must be positive");
  std::vector<BranchTree> trees;
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    trees.push_back(branch::to_branches(forest.parent(t), options.root));
  std::vector<std::size_t> cells(trees.size(), 0);
  for (const int t : forest.tree_of_system()) ++cells[at(t)];
  if (options.cutting == BranchCutting::level_mean) branch::cut_at_level_mean(trees, cells);
  if (options.cutting == BranchCutting::local)
    for (BranchTree& tree : trees) branch::cut_locally(tree, options.level_cost);
  std::vector<Shape> shapes;
  for (const BranchTree& tree : trees) shapes.push_back(shape_of(tree));

  BranchPlan plan;
  plan.options = options;
  plan.first_node = plan.first_slot = {0};
  std::map<std::vector<int>, int> known;  // patterns by their cells' trees
  Filling block;
  const auto close = [&] {
    if (block.trees.empty()) return;
    const auto [entry, is_new] = known.emplace(block.trees, static_cast<int>(plan.patterns.size()));
    if (is_new) plan.patterns.push_back(lay_out(block, trees));
    const BranchPattern& pattern = plan.patterns[at(entry->second)];
    plan.pattern_of.push_back(entry->second);
    plan.first_node.push_back(plan.first_node.back() + pattern.slot.size());
    plan.first_slot.push_back(plan.first_slot.back() + at(pattern.storage));
    block = {};
  };
  for (const int t : forest.tree_of_system()) {
    const BranchTree& tree = trees[at(t)];
    if (!block.trees.empty()) {
      Filling tried = block;
      add_cell(tried, t, tree, levels_in(block, tree, shapes[at(t)], options));
      if (fits(tried, options)) {
        block = std::move(tried);
        continue;
      }
      close();
    }
    add_cell(block, t, tree, levels_in(block, tree, shapes[at(t)], options));
  }
  close();
  return plan;
}

}  // namespace hillock::solver
