// When does one thread a branch beat one thread a cell, and what do cutting and re-rooting give?
// The two figures of Huber's report, on random trees of its kind.
//
// Axes: branching probability high, medium, low (0.9, 0.5, 0.1 a level, 8 levels) × 10 to 100,000
// cells × one thread a cell ("old"), one thread a branch in device memory as in the report ("fine")
// and in shared memory, without balancing, with cutting at the level's mean, with re-rooting, with
// both, and with our local cuts and sinking subtrees; branch lengths 5, 10, 20 for the medium
// trees. Double precision. Every cell is one of 1,000 trees drawn once, so from 10,000 cells on,
// patterns repeat. The CPU solves the same cells. Floor and timing: gpu/branch.cu.

#include <algorithm>
#include <cstdio>
#include <map>

#include "bench/build.hpp"
#include "bench/gpu/trees.hpp"
#include "bench/host_hines.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"

namespace hillock::bench {

namespace {

constexpr std::size_t pool = 1000;

const std::vector<std::string> variants{"old: one thread a cell",
                                        "fine",
                                        "fine, cut",
                                        "fine, re-rooted",
                                        "fine, cut, re-rooted",
                                        "shared",
                                        "shared, cut, re-rooted",
                                        "shared, local, re-rooted, sunk"};

std::vector<Column> columns(const Session& session, bool ratios) {
  const bool cpu = session.cpu() && !ratios, gpu = session.gpu();
  return {{"", "branching"},
          {"", "length"},
          {"", "cells"},
          {"", "mean size"},
          {"CPU", "serial", cpu},
          {"CPU", "OpenMP", cpu},
          {"CPU", "lanes", cpu},
          {"a thread a cell", "old", gpu},
          {"a thread a branch, device memory", "fine", gpu},
          {"a thread a branch, device memory", "cut", gpu},
          {"a thread a branch, device memory", "re-rooted", gpu},
          {"a thread a branch, device memory", "both", gpu},
          {"a thread a branch, shared memory", "fine", gpu},
          {"a thread a branch, shared memory", "both", gpu},
          {"a thread a branch, shared memory", "local, sunk", gpu},
          {"best fine over", "CPU OpenMP", cpu && gpu},
          {"best fine over", "old", gpu}};
}

struct Trees {
  const char* name;
  double split;
  int length;
};

/// Measures one case, writes its rows and returns its line of the two tables.
std::pair<std::vector<std::string>, std::vector<std::string>> measure(Session& session,
                                                                      const Trees& trees,
                                                                      std::size_t cells) {
  std::vector<std::vector<int>> pool_of_trees;
  const solver::BranchingTree shape{8, trees.split, trees.length, 0.9};
  for (std::size_t t = 0; t < std::min(pool, cells); ++t)
    pool_of_trees.push_back(solver::branching_tree(shape, 1, t));
  const DrawnCells drawn(pool_of_trees);
  const double mean =
      static_cast<double>(drawn.rhs.size()) / static_cast<double>(drawn.trees.size());
  const std::string what = std::string(trees.name) + " x " + std::to_string(cells);
  std::map<std::string, double> us;
  const auto row = [&](const char* backend, const std::string& variant, double time, double error) {
    us[variant] = time;
    Row r;
    r.text("backend", backend).text("variant", variant).text("precision", "double");
    r.text("trees", trees.name).number("split", trees.split).number("length", trees.length);
    r.number("systems", static_cast<double>(cells)).number("cells", static_cast<double>(cells));
    r.number("compartments", mean * static_cast<double>(cells));
    r.number("us", time).number("error_over_bound", error);
    return r;
  };
  const std::size_t bytes =
      static_cast<std::size_t>(mean * static_cast<double>(cells)) * sizeof(double);
  if (session.cpu() && session.fits(what, 9 * bytes)) {
    const auto batch = drawn.shape(cells);
    for (const auto& r :
         measure_on_host(session, what, batch, drawn.values(batch), DrawnCells::kappa)) {
      Row written = row("cpu", r.variant, r.timing.us, r.error);
      session.write(
          "branch",
          written.number("solve_us", r.timing.us).number("with_permutation_us", r.timing.us));
    }
  }
  if constexpr (with_cuda)
    if (session.gpu())
      session.attempt(what, [&] {
        for (const auto& r : measure_branch(drawn, cells)) {
          session.judge(what + ", " + r.variant, r.error);
          Row written = row("cuda", r.variant, r.with_permutation_us, r.error);
          written.number("solve_us", r.solve_us);
          written.number("with_permutation_us", r.with_permutation_us);
          written.number("levels", r.levels).number("path", r.path);
          session.write("branch", written.number("storage_ratio", r.storage_ratio));
        }
      });
  const auto at = [&](const std::string& v) { return us.count(v) ? us.at(v) : NAN; };
  std::vector<std::string> line{trees.name, std::to_string(trees.length), count(cells),
                                figure(mean)};
  std::vector<std::string> ratios = line;
  for (const char* v : {"cpu-serial", "cpu-openmp", "cpu-lanes"}) {
    line.push_back(figure(at(v)));
    ratios.push_back("");
  }
  const double old = at(variants[0]);
  double best = NAN;
  for (const auto& v : variants) {
    if (v != variants[0]) best = std::fmin(best, at(v));
    line.push_back(figure(at(v)));
    ratios.push_back(times(old / at(v)));
  }
  for (auto* cells_of : {&line, &ratios}) {
    cells_of->push_back(times(at("cpu-openmp") / best));
    cells_of->push_back(times(old / best));
  }
  return {line, ratios};
}

void run(Session& session) {
  if (!session.wants("double")) return;
  session.heading(
      "branch, double: random trees, µs a solve of the batch, permutation into the solver's layout "
      "and back included");
  if (!session.gpu()) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  std::vector<std::pair<Trees, std::size_t>> cases;
  for (const Trees& trees : {Trees{"high", 0.9, 10}, {"medium", 0.5, 10}, {"low", 0.1, 10}})
    for (std::size_t cells : session.cells({10, 100, 1000, 10000, 100000}, {100, 10000})) {
      if (cells > pool) cells -= cells % pool;  // whole repetitions of the trees drawn
      cases.emplace_back(trees, cells);
    }
  if (!session.options().quick && session.options().cells.empty())
    for (const int length : {5, 20}) cases.emplace_back(Trees{"medium", 0.5, length}, 1000);
  TextTable table(columns(session, false));
  std::vector<std::vector<std::string>> all_ratios;
  for (const auto& [trees, cells] : cases) {
    const auto [line, ratios] = measure(session, trees, cells);
    table.add(line);
    all_ratios.push_back(ratios);
  }
  if (!session.gpu()) return;
  session.heading("branch: times faster than one thread a cell (\"old\")");
  TextTable over_old(columns(session, true));
  for (const auto& ratios : all_ratios) over_old.add(ratios);
}

}  // namespace

extern const Table branch_table{
    "branch", "one thread a branch against one thread a cell (Huber, 7.1 and 7.2)", Runs::unasked,
    run};

}  // namespace hillock::bench
