// Contraction, the branch solver and one thread a cell on the GPU: one kernel that repeats the
// solve (the solution becomes the next right-hand side), and a single launch. Medians between CUDA
// events.
//
// Floor of a single launch: d and b read, x written: 24 bytes a compartment over the copy
// bandwidth. Repeats need no device memory where the cells stay on chip; then latency rules: for
// contraction a step is barrier, loads, additions, reciprocal, product, store, of which a tree has
// 9 to 11 each way; for the branch solver a reciprocal and a multiply-add a compartment of the
// critical path.

#include <cstdio>

#include "bench/gpu/tree_solvers.cuh"
#include "bench/gpu/trees.hpp"
#include "solver/batches/branch/branch_device.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/contraction/schedule.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

constexpr int repeats = 200;

/// Runs a solver both ways and checks what it computes.
template <class Solve>
ContractionResult measure(const std::string& family, const std::string& variant, Values& values,
                          std::size_t count, bool large, const Solve& solve) {
  ContractionResult m{family, variant};
  values.reset();
  solve(1);
  m.error = values.error(values.rhs.data(), count, 1);
  values.reset();
  solve(3);
  m.error = worse(m.error, values.error(values.rhs.data(), count, 3));
  m.single_us = median_us(2, large ? 7 : 30, [&] { solve(1); });
  m.repeated_us = median_us(large ? 0 : 1, large ? 2 : 7, [&] { solve(repeats); }) / repeats;
  return m;
}

}  // namespace

std::vector<ContractionResult> measure_contraction(const DrawnCells& drawn, std::size_t cells,
                                                   bool quick) {
  const bool large = cells > 20000;
  const std::vector<int>& tree = drawn.trees[0];
  const std::size_t n = tree.size(), count = n * cells;
  Values values(drawn, count);
  const auto& coupling = drawn.couplings[0];
  const auto schedule = make_contraction_schedule(tree);
  const Forest forest = Forest::uniform(tree, cells);
  std::vector<ContractionResult> results;

  for (int k = 0; k <= 4; ++k) {
    if (schedule.task_count() > 1024 * std::max(k, 1) && k > 0) continue;
    const auto solver = contraction_on_device<double>(
        forest, {coupling},
        {k == 0 ? ContractionMapping::automatic : ContractionMapping::block, k, {}});
    const std::string name = (k == 0 ? "auto: " : "") + solver->describe();
    results.push_back(measure(
        k == 0 ? "auto" : "contraction", name.substr(0, name.find(',', name.find("tasks"))), values,
        count, large, [&](int times) {
          solver->solve({values.diagonal.data(), values.rhs.data(), nullptr, times, nullptr});
        }));
  }

  for (const auto root : {BranchRoot::given, BranchRoot::centre})
    for (const auto& [cutting, cost] : {std::pair{BranchCutting::none, 0.0},
                                        {BranchCutting::level_mean, 0.0},
                                        {BranchCutting::local, 2.0},
                                        {BranchCutting::local, 4.0},
                                        {BranchCutting::local, 8.0},
                                        {BranchCutting::local, 16.0}})
      for (const int threads : {0, 32, 256}) {
        if (threads == 256 && cells < 1000) continue;
        if (threads == 32 && cells >= 1000) continue;
        if (quick && (root == BranchRoot::given || cutting == BranchCutting::none)) continue;
        if (large && (cutting == BranchCutting::none || root == BranchRoot::given)) continue;
        BranchOptions options;
        options.root = root;
        options.cutting = cutting;
        options.level_cost = cost;
        options.threads = threads == 32 ? 32 : 256;
        options.most_cells = threads < 256 ? 1 : 1 << 20;
        options.most_values = threads < 256 ? std::size_t{1} << 40 : 3000;
        const BranchPlan plan = make_branch_plan(forest, options);
        const auto solver = branch_on_device<double>(plan, {coupling});
        char name[120];
        std::snprintf(name, sizeof name, "%s, %s, %d levels, path %d, %zu a block, %d threads",
                      root == BranchRoot::given ? "given" : "centre",
                      cutting == BranchCutting::none         ? "no cut"
                      : cutting == BranchCutting::level_mean ? "mean"
                                                             : "local",
                      plan.patterns[0].levels(), plan.patterns[0].critical_path(),
                      plan.patterns[0].trees.size(), options.threads);
        results.push_back(measure("branch", name, values, count, large, [&](int times) {
          solver->solve({values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural,
                         times, nullptr});
        }));
      }

  if (cells >= 1000) {
    ThreadACell solver(tree, coupling, cells, values.diagonal.data());
    values.reset();
    solver.take(values.rhs.data());
    solver.solve(3);
    solver.give(values.rhs.data());
    ContractionResult m{"thread a cell", "interleaved"};
    m.error = values.error(values.rhs.data(), count, 3);
    m.single_us = median_us(2, large ? 7 : 20, [&] { solver.solve(1); });
    m.repeated_us =
        median_us(0, 3, [&] { solver.solve(large ? 20 : repeats); }) / (large ? 20 : repeats);
    results.push_back(m);
  }
  return results;
}

}  // namespace hillock::bench
