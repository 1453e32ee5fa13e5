// Many traces of one cell: does Stone's recursive doubling (segment method) or the branch method
// solve them faster, and where? Figures 4 and 5 of Ben-Shalom 2012.
//
// Axes: the paper's fork (320, 640, 960 segments) and binary trees (depth 5 to 10) × 1 to 13 traces
// of a cell × 1 to 128 cells × a warp a trace (the paper's mapping) or a block of 256 a trace,
// float (the paper's) and double. The CPU solves the same systems by Hines elimination. Floor:
// n·(log2(depth)+1) fused operations by 32 lanes and as many shared-memory accesses; memory is not
// the limit, for the inputs of all cells fit in the L2 cache and are meant to: a simulation
// assembles them on the chip. Timing: gpu/stone.cu.

#include <algorithm>

#include "bench/build.hpp"
#include "bench/gpu/stone.hpp"
#include "bench/host_hines.hpp"
#include "bench/reference.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "core/random/random.hpp"
#include "solver/batches/stone/paper_trees.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

constexpr double kappa = 10;

struct Size {
  int cells = 1, traces = 1;
  std::size_t systems() const { return static_cast<std::size_t>(cells * traces); }
};

/// A trace a system; the traces of a cell have its couplings.
template <class T>
BatchValues<T> random_values(const std::vector<int>& parent, Size size) {
  RandomStream draw(1, Purpose::stimulus, {parent.size(), 0, 0});
  const std::size_t n = parent.size();
  BatchValues<T> v;
  for (int cell = 0; cell < size.cells; ++cell) {
    std::vector<double> coupling(n), axial(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      coupling[i] = kappa * (0.5 + draw.uniform());
      if (i == 0) continue;
      axial[i] += coupling[i];
      axial[static_cast<std::size_t>(parent[i])] += coupling[i];
    }
    for (int trace = 0; trace < size.traces; ++trace)
      for (std::size_t i = 0; i < n; ++i) {
        v.coupling.push_back(static_cast<T>(coupling[i]));
        v.diagonal.push_back(static_cast<T>(axial[i] + 1 + draw.uniform()));
        v.rhs.push_back(static_cast<T>(2 * draw.uniform() - 1));
      }
  }
  return v;
}

struct Tree {
  std::string name;
  std::vector<int> parent;
};

std::vector<Tree> all_trees() {
  std::vector<Tree> all;
  for (const int n : {320, 640, 960}) all.push_back({"fork " + std::to_string(n), make_fork(n)});
  for (int depth = 5; depth <= 10; ++depth)
    all.push_back({"binary " + std::to_string(depth), make_binary_tree(depth)});
  return all;
}

/// Of the first, a middle and the last trace.
template <class T>
double error_of(const std::vector<int>& parent, const BatchValues<T>& flat,
                const std::vector<T>& x) {
  double worst = 0;
  const std::size_t n = parent.size(), systems = flat.rhs.size() / n;
  for (const std::size_t s : {std::size_t{0}, systems / 2, systems - 1}) {
    const auto reference =
        tree_reference(std::span<const int>(parent), flat.diagonal.data() + s * n,
                       flat.coupling.data() + s * n, flat.rhs.data() + s * n);
    worst = worse(
        worst, error_over_bound(std::span<const long double>(reference), x.data() + s * n, kappa));
  }
  return worst;
}

template <class T>
std::vector<std::string> measure(Session& session, const Tree& tree, Size size) {
  const std::size_t n = tree.parent.size();
  const char* precision = name_of_precision<T>();
  const std::string what = std::string(precision) + " " + tree.name + ", " +
                           std::to_string(size.cells) + " cells x " + std::to_string(size.traces) +
                           " traces";
  const BatchValues<T> flat = random_values<T>(tree.parent, size);
  const auto row = [&](const char* backend, const std::string& variant, double us, double error) {
    Row r;
    r.text("backend", backend).text("variant", variant).text("precision", precision);
    r.text("tree", tree.name).number("segments", static_cast<double>(n));
    r.number("cells", size.cells).number("traces", size.traces);
    r.number("systems", static_cast<double>(size.systems()));
    r.number("us", us).number("error_over_bound", error);
    return r;
  };
  const auto batch = Forest::uniform(tree.parent, size.systems());
  const auto host = measure_on_host(session, what, batch, flat, kappa);
  for (const auto& r : host) session.write("stone", row("cpu", r.variant, r.timing.us, r.error));
  StoneMeasured<T> gpu;
  if constexpr (with_cuda)
    if (session.gpu())
      session.attempt(what, [&] { gpu = measure_stone(batch, size.traces, flat); });
  double us[2][2] = {{NAN, NAN}, {NAN, NAN}};  // team, method
  for (std::size_t k = 0; k < gpu.results.size(); ++k) {
    const StoneResult& r = gpu.results[k];
    const bool segment = r.back == BackSubstitution::segment;
    const std::string method = segment ? "segment" : "branch";
    const std::string variant = method + ", team of " + std::to_string(r.team);
    const double error = error_of(tree.parent, flat, gpu.solutions[k]);
    session.judge(what + ", " + variant, error);
    us[r.team == 32 ? 0 : 1][segment ? 0 : 1] = r.us;
    Row written = row("cuda", variant, r.us, error);
    written.text("method", method).number("team", r.team);
    session.write("stone", written.number("single_launch_us", r.single_launch_us));
  }
  const double best = std::fmin(std::fmin(us[0][0], us[0][1]), std::fmin(us[1][0], us[1][1]));
  return {tree.name,
          count(n),
          std::to_string(size.cells),
          std::to_string(size.traces),
          figure(us_of(host, "cpu-serial")),
          figure(us_of(host, "cpu-openmp")),
          figure(us_of(host, "cpu-lanes")),
          figure(us[0][0]),
          figure(us[0][1]),
          times(us[0][1] / us[0][0]),
          figure(us[1][0]),
          figure(us[1][1]),
          times(us[1][1] / us[1][0]),
          times(us_of(host, "cpu-serial") / best),
          times(us_of(host, "cpu-openmp") / best)};
}

template <class T>
void run_precision(Session& session) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  const bool cpu = session.cpu(), gpu = session.gpu();
  session.heading(std::string("stone, ") + precision +
                  ": traces of one cell, µs a solve of all traces of all cells");
  if (!gpu) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  TextTable table({{"", "tree", true, 9},
                   {"", "segments"},
                   {"", "cells"},
                   {"", "traces"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"CPU", "lanes", cpu},
                   {"a warp a trace", "segment", gpu},
                   {"a warp a trace", "branch", gpu},
                   {"a warp a trace", "ratio", gpu},
                   {"a block a trace", "segment", gpu},
                   {"a block a trace", "branch", gpu},
                   {"a block a trace", "ratio", gpu},
                   {"best GPU over", "serial", cpu && gpu},
                   {"best GPU over", "OpenMP", cpu && gpu}});
  const bool quick = session.options().quick;
  for (const auto& tree : all_trees()) {
    if (quick && (tree.name == "fork 640" || tree.name == "binary 6" || tree.name == "binary 8"))
      continue;
    for (const std::size_t cells : session.cells({1, 14, 128}, {1, 128}))
      for (const int traces : quick ? std::vector<int>{1, 13} : std::vector<int>{1, 4, 8, 13})
        table.add(measure<T>(session, tree, {static_cast<int>(cells), traces}));
  }
}

void run(Session& session) {
  run_precision<float>(session);
  run_precision<double>(session);
}

}  // namespace

extern const Table stone_table{
    "stone", "traces of one cell: segment and branch method (Ben-Shalom 2012, 4 and 5)",
    Runs::unasked, run};

}  // namespace hillock::bench
