#include <algorithm>
#include <cmath>
#include <string>

#include "core/random.hpp"
#include "models/morphology.hpp"

namespace hillock::models {

namespace {

double between(const std::pair<double, double>& ends, int level, int depth) {
  if (depth < 2) return ends.first;
  return ends.first + (ends.second - ends.first) * level / (depth - 1);
}

}  // namespace

Morphology grow(const RandomTree& tree, std::uint64_t seed, CellId cell) {
  RandomStream stream(seed, Purpose::morphology, {cell.value, 0, 0});
  Morphology result;
  Branch soma{"soma", "soma", -1, 1, {}, 1};
  soma.points = {{0, 0, 0, tree.soma_diameter_um},
                 {tree.soma_length_um, 0, 0, tree.soma_diameter_um}};
  result.branches.reserve(64);
  result.branches.push_back(soma);
  std::vector<int> tips{0};
  for (int level = 0; level < tree.depth && !tips.empty(); ++level) {
    const double probability = between(tree.branch_probability, level, tree.depth);
    const double length = between(tree.length_um, level, tree.depth);
    const int compartments =
        std::max(1, static_cast<int>(std::lround(between(tree.compartments, level, tree.depth))));
    std::vector<int> next;
    for (const int tip : tips) {
      for (int child = 0; child < 2; ++child) {
        if (stream.uniform() >= probability) continue;
        const Point from = result.branches[static_cast<std::size_t>(tip)].points.back();
        const auto number = result.branches.size() - 1;
        Branch branch{"dend[" + std::to_string(number) + ']', "dend", tip, 1, {}, compartments};
        branch.points = {{from.x_um, from.y_um, from.z_um, tree.diameter_um},
                         {from.x_um + length, from.y_um, from.z_um, tree.diameter_um}};
        next.push_back(static_cast<int>(result.branches.size()));
        result.branches.push_back(std::move(branch));
      }
    }
    tips = std::move(next);
  }
  return result;
}

}  // namespace hillock::models
