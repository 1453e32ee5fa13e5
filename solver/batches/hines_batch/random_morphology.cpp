#include "solver/batches/hines_batch/random_morphology.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/random/random.hpp"

namespace hillock::solver {
namespace {

std::vector<int> random_lengths(int compartments, int branches, RandomStream& draw) {
  std::vector<int> length(static_cast<std::size_t>(branches), 1);
  for (int left = compartments - branches; left > 0; --left)
    ++length[draw.below(static_cast<std::uint64_t>(branches))];
  return length;
}

}  // namespace

std::vector<int> random_morphology(int compartments, int branches, std::uint64_t seed) {
  if (branches < 1 || branches == 2 || branches > compartments)
    throw UsageError("no tree has " + std::to_string(compartments) + " compartments and " +
                     std::to_string(branches) + " branches");
  RandomStream draw(
      seed, Purpose::morphology,
      {static_cast<std::uint64_t>(compartments), static_cast<std::uint64_t>(branches)});
  // Fork a random tip until there are enough branches.
  std::vector<int> branch_parent{-1};
  std::vector<int> tips{0};
  while (static_cast<int>(branch_parent.size()) < branches) {
    const int missing = branches - static_cast<int>(branch_parent.size());
    const int children = missing % 2 == 1 ? 3 : 2;
    const std::size_t which = draw.below(tips.size());
    const int tip = tips[which];
    tips[which] = tips.back();
    tips.pop_back();
    for (int k = 0; k < children; ++k) {
      tips.push_back(static_cast<int>(branch_parent.size()));
      branch_parent.push_back(tip);
    }
  }
  const std::vector<int> length = random_lengths(compartments, branches, draw);
  std::vector<int> parent, last(branch_parent.size());
  parent.reserve(static_cast<std::size_t>(compartments));
  for (std::size_t b = 0; b < branch_parent.size(); ++b) {
    int from = b == 0 ? -1 : last[static_cast<std::size_t>(branch_parent[b])];
    for (int k = 0; k < length[b]; ++k)
      from = (parent.push_back(from), static_cast<int>(parent.size()) - 1);
    last[b] = from;
  }
  return parent;
}

int count_branches(const std::vector<int>& parent) {
  std::vector<int> children(parent.size(), 0);
  for (std::size_t i = 1; i < parent.size(); ++i) ++children[static_cast<std::size_t>(parent[i])];
  int branches = 1;
  for (const int c : children)
    if (c > 1) branches += c;
  return branches;
}

}  // namespace hillock::solver
