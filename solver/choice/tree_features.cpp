#include "solver/choice/tree_features.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/contraction/schedule.hpp"
#include "solver/schedules/stone_schedule.hpp"

namespace hillock::solver {
namespace {

/// A level's barrier and inbox in compartments of the path, as measured on an H200.
constexpr double level_cost = 8;

BranchWork work_of(const BranchPattern& pattern, int threads) {
  BranchWork work;
  work.cells = static_cast<int>(pattern.trees.size());
  work.levels = pattern.levels();
  work.path = pattern.critical_path();
  work.storage = pattern.storage;
  work.branches = pattern.branches();
  for (int level = 0; level < pattern.levels(); ++level)
    work.threads = std::max(work.threads, pattern.level_start[static_cast<std::size_t>(level) + 1] -
                                              pattern.level_start[static_cast<std::size_t>(level)]);
  work.threads = std::min(work.threads, threads);
  return work;
}

/// Wider levels than this are not worth a warp's taking turns.
constexpr int widest_of_a_warp = 128;
/// Values of a warp that holds several cells.
constexpr std::size_t values_of_a_warp = 1200;

void plan_branches(const std::vector<int>& parent, TreeFeatures& features) {
  const Forest one = Forest::uniform(parent, 1);
  double least = 0;
  for (const auto& [cutting, cost] : {std::pair{BranchCutting::local, 2.0},
                                      {BranchCutting::local, 4.0},
                                      {BranchCutting::local, 8.0},
                                      {BranchCutting::local, 16.0},
                                      {BranchCutting::level_mean, 8.0}}) {
    BranchOptions options;
    options.root = BranchRoot::centre;
    options.cutting = cutting;
    options.level_cost = cost;
    options.threads = 256;
    options.most_cells = 1;
    const BranchPlan plan = make_branch_plan(one, options);
    const BranchPattern& pattern = plan.patterns.front();
    const double predicted = pattern.critical_path() + level_cost * pattern.levels();
    if (features.few.levels > 0 && predicted >= least) continue;
    least = predicted;
    features.branch_few = options;
    features.few = work_of(pattern, options.threads);
  }
  features.branch_many = features.branch_few;
  features.many = features.few;
  if (features.few.threads > widest_of_a_warp) return;
  features.branch_many.threads = 32;
  features.branch_many.most_cells = 32;
  features.branch_many.most_values = values_of_a_warp;
  const BranchPlan many = make_branch_plan(Forest::uniform(parent, 32), features.branch_many);
  features.many = work_of(many.patterns.front(), 32);
}

void measure_stone(std::span<const int> parent, TreeFeatures& features) {
  const StoneSchedule schedule = make_stone_schedule(parent);
  features.branches = schedule.n_branches();
  features.stone_rounds = schedule.rounds;
  features.stone_levels = schedule.n_levels();
  for (int level = 0; level < schedule.n_levels(); ++level) {
    int longest = 0, children = 0;
    for (int b = schedule.level_first[static_cast<std::size_t>(level)];
         b < schedule.level_first[static_cast<std::size_t>(level) + 1]; ++b) {
      const auto k = static_cast<std::size_t>(b);
      longest = std::max(longest, schedule.branch_first[k + 1] - schedule.branch_first[k]);
      children = std::max(children, schedule.child_first[k + 1] - schedule.child_first[k]);
    }
    features.stone_path += longest;
    features.stone_children += children;
  }
}

}  // namespace

TreeFeatures features_of(std::span<const int> parent) {
  const ContractionSchedule contraction = make_contraction_schedule(parent);  // checks the tree
  TreeFeatures features;
  features.compartments = static_cast<int>(parent.size());
  features.contraction_steps = contraction.steps();
  features.contraction_tasks = contraction.task_count();
  features.unbranched = true;
  std::vector<int> depth(parent.size(), 0);
  for (std::size_t i = 1; i < parent.size(); ++i) {
    depth[i] = depth[static_cast<std::size_t>(parent[i])] + 1;
    features.depth = std::max(features.depth, depth[i]);
    features.unbranched = features.unbranched && parent[i] == static_cast<int>(i) - 1;
  }
  plan_branches({parent.begin(), parent.end()}, features);
  measure_stone(parent, features);
  return features;
}

}  // namespace hillock::solver
