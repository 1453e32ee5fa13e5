#include <algorithm>
#include <cmath>
#include <string>

#include "core/random/random.hpp"
#include "models/morphology.hpp"

namespace hillock::models {

namespace {

double between(const std::pair<double, double>& ends, int level, int depth) {
  if (depth < 2) return ends.first;
  return ends.first + (ends.second - ends.first) * level / (depth - 1);
}

}  // namespace

TreeOutline outline_of(const RandomTree& tree, std::uint64_t seed, CellId cell) {
  RandomStream stream(seed, Purpose::morphology, {cell.value, 0, 0});
  TreeOutline outline{{-1}, {-1}};
  std::size_t tip = 0;  // those of the level before are the last branches there are
  for (int level = 0; level < tree.depth && tip < outline.size(); ++level) {
    const double probability = between(tree.branch_probability, level, tree.depth);
    for (const std::size_t end = outline.size(); tip < end; ++tip)
      for (int child = 0; child < 2; ++child) {
        if (stream.uniform() >= probability) continue;
        outline.parent.push_back(static_cast<int>(tip));
        outline.level.push_back(level);
      }
  }
  return outline;
}

int compartments_at(const RandomTree& tree, int level) {
  if (level < 0) return 1;
  return std::max(1, static_cast<int>(std::lround(between(tree.compartments, level, tree.depth))));
}

std::string name_in_tree(std::size_t branch) {
  return branch == 0 ? "soma" : "dend[" + std::to_string(branch - 1) + ']';
}

Morphology grow(const RandomTree& tree, const TreeOutline& outline) {
  Morphology result;
  result.branches.reserve(outline.size());
  for (std::size_t b = 0; b < outline.size(); ++b) {
    const int level = outline.level[b], parent = outline.parent[b];
    Branch& branch = result.branches.emplace_back();
    branch.name = name_in_tree(b);
    branch.region = b == 0 ? "soma" : "dend";
    branch.parent = parent;
    branch.compartments = compartments_at(tree, level);
    if (b == 0) {
      branch.points = {{0, 0, 0, tree.soma_diameter_um},
                       {tree.soma_length_um, 0, 0, tree.soma_diameter_um}};
      continue;
    }
    const Point from = result.branches[static_cast<std::size_t>(parent)].points.back();
    const double length = between(tree.length_um, level, tree.depth);
    branch.points = {{from.x_um, from.y_um, from.z_um, tree.diameter_um},
                     {from.x_um + length, from.y_um, from.z_um, tree.diameter_um}};
  }
  return result;
}

}  // namespace hillock::models
