// Does contraction beat the fine-grained (branch) solver, and from which depth on?
//
// Axes: trees of 576 compartments and depth 35, 570 and 119, 1,425 and 299 × 16, 132, 1,024 and
// 100,000 cells × contraction (tasks a thread), branch solver (root, cutting, cells a block), one
// thread a cell; double precision. Each is timed as one kernel that repeats the solve (the solution
// becomes the next right-hand side) and as a single launch. Medians between CUDA events.
//
// Floor of a single launch: d and b read, x written: 24 bytes a compartment over the copy
// bandwidth. Repeats need no device memory where the cells stay on chip; then latency rules: for
// contraction a step is barrier, loads, additions, reciprocal, product, store, of which a tree has
// 9 to 11 each way; for the branch solver a reciprocal and a multiply-add a compartment of the
// critical path.
//
//   bench_contraction [--json FILE] [--quick]
//   plots: bench/plot_contraction.py FILE

#include <cstring>
#include <map>

#include "bench/tree_solvers.cuh"
#include "solver/branch/branch_device.hpp"
#include "solver/contraction/contraction_device.hpp"

using namespace hillock;
using namespace hillock::solver;
using namespace hillock::bench;

namespace {

struct Case {
  std::string name;
  std::vector<int> tree;
  int depth;
};

struct Measured {
  std::string family, variant;
  double repeated_us = 0, single_us = 0, error = 0;
};

constexpr int repeats = 200;

/// Runs a solver both ways and checks what it computes.
template <class Solve>
Measured measure(const std::string& family, const std::string& variant, Values& values,
                 std::size_t count, bool large, const Solve& solve) {
  Measured m{family, variant, 0, 0, 0};
  values.reset();
  solve(1);
  m.error = values.error(values.rhs.data(), count, 1);
  values.reset();
  solve(3);
  m.error = std::max(m.error, values.error(values.rhs.data(), count, 3));
  m.single_us = median_us(2, large ? 7 : 30, [&] { solve(1); });
  m.repeated_us = median_us(large ? 0 : 1, large ? 2 : 7, [&] { solve(repeats); }) / repeats;
  return m;
}

void report(Rows& rows, const Case& c, std::size_t cells, const Measured& m,
            const std::string& device) {
  char line[400];
  std::snprintf(line, sizeof line,
                "{\"question\":\"contraction\",\"device\":%s,\"tree\":%s,\"compartments\":%zu,"
                "\"depth\":%d,\"cells\":%zu,\"family\":%s,\"variant\":%s,\"repeated_us\":%.4g,"
                "\"single_us\":%.4g,\"error\":%.3g}",
                quoted(device).c_str(), quoted(c.name).c_str(), c.tree.size(), c.depth, cells,
                quoted(m.family).c_str(), quoted(m.variant).c_str(), m.repeated_us, m.single_us,
                m.error);
  rows.add(line);
  std::printf("  %-12s %-44s %10.2f %10.2f  %.1e\n", m.family.c_str(), m.variant.c_str(),
              m.repeated_us, m.single_us, m.error);
}

void run_case(Rows& rows, const Case& c, std::size_t cells, bool quick, const std::string& device) {
  const bool large = cells > 20000;
  const std::size_t n = c.tree.size(), count = n * cells;
  Values values({c.tree, c.tree, c.tree, c.tree}, count);
  const auto& coupling = values.couplings[0];
  const auto schedule = make_contraction_schedule(c.tree);
  std::printf("%s: %zu compartments, depth %d, %d rounds, %zu cells   us/solve: repeated, single\n",
              c.name.c_str(), n, c.depth, schedule.rounds, cells);
  std::map<std::string, Measured> best;
  const auto keep = [&](const Measured& m) {
    report(rows, c, cells, m, device);
    auto [entry, is_new] = best.emplace(m.family, m);
    if (!is_new && m.repeated_us < entry->second.repeated_us) entry->second = m;
  };

  for (int k = 0; k <= 4; ++k) {
    if (schedule.task_count() > 1024 * std::max(k, 1) && k > 0) continue;
    ContractionDevice<double> solver(
        batch_of_one_template(schedule, cells), {coupling},
        {k == 0 ? ContractionMapping::automatic : ContractionMapping::block, k, {}});
    const std::string name = (k == 0 ? "auto: " : "") + solver.describe();
    keep(measure(
        k == 0 ? "auto" : "contraction", name.substr(0, name.find(',', name.find("tasks"))), values,
        count, large, [&](int times) {
          solver.solve({values.diagonal.data(), values.rhs.data(), nullptr, times, nullptr});
        }));
  }

  const std::vector<int> tree_of(cells, 0);
  for (const auto root : {BranchRoot::given, BranchRoot::centre})
    for (const auto& [cutting, cost] : {std::pair{BranchCutting::none, 0.0},
                                        {BranchCutting::level_mean, 0.0},
                                        {BranchCutting::local, 2.0},
                                        {BranchCutting::local, 4.0},
                                        {BranchCutting::local, 8.0}})
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
        const BranchPlan plan =
            make_branch_plan(std::vector<std::vector<int>>{c.tree}, tree_of, options);
        BranchDevice<double> solver(plan, {coupling});
        char name[120];
        std::snprintf(name, sizeof name, "%s, %s, %d levels, path %d, %zu a block, %d threads",
                      root == BranchRoot::given ? "given" : "centre",
                      cutting == BranchCutting::none         ? "no cut"
                      : cutting == BranchCutting::level_mean ? "mean"
                                                             : "local",
                      plan.patterns[0].levels(), plan.patterns[0].critical_path(),
                      plan.patterns[0].trees.size(), options.threads);
        keep(measure("branch", name, values, count, large, [&](int times) {
          solver.solve({values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural,
                        times, nullptr});
        }));
      }

  if (cells >= 1000) {
    ThreadACell solver(c.tree, coupling, cells, values.diagonal.data());
    values.reset();
    solver.take(values.rhs.data());
    solver.solve(3);
    solver.give(values.rhs.data());
    Measured m{"thread a cell", "interleaved", 0, 0, values.error(values.rhs.data(), count, 3)};
    m.single_us = median_us(2, large ? 7 : 20, [&] { solver.solve(1); });
    m.repeated_us =
        median_us(0, 3, [&] { solver.solve(large ? 20 : repeats); }) / (large ? 20 : repeats);
    keep(m);
  }
  std::printf("  best: contraction %.2f, branch %.2f, ratio %.2f\n",
              best.at("contraction").repeated_us, best.at("branch").repeated_us,
              best.at("branch").repeated_us / best.at("contraction").repeated_us);
}

}  // namespace

int main(int argc, char** argv) {
  const char* json = nullptr;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc)
      json = argv[++i];
    else if (!std::strcmp(argv[i], "--quick"))
      quick = true;
    else
      return std::fprintf(stderr, "unknown argument %s\n", argv[i]), 2;
  }
  if (device_count() == 0) return std::puts(describe_device().c_str()), 77;
  const std::string device = describe_device();
  std::puts(device.c_str());
  Rows rows(json);
  const std::vector<Case> cases{{"shallow", tree_of_depth(576, 35, 6, 1), 35},
                                {"deep", tree_of_depth(570, 119, 10, 1), 119},
                                {"deepest", tree_of_depth(1425, 299, 20, 1), 299}};
  for (const Case& c : cases)
    for (const std::size_t cells : {16, 132, 1024, 100000}) {
      if (quick && cells == 132) continue;
      run_case(rows, c, cells, quick, device);
    }
}
