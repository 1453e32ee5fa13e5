// When does one thread a branch beat one thread a cell, and what do cutting and re-rooting give?
// The two figures of Huber's report, on random trees of its kind.
//
// Axes: branching probability high, medium, low (0.9, 0.5, 0.1 a level, 8 levels) × 10 to 100,000
// cells × one thread a cell ("old"), one thread a branch in device memory as in the report ("fine")
// and in shared memory, without balancing, with cutting at the level's mean, with re-rooting, with
// both, and with our local cuts and sinking subtrees; branch lengths 5, 10, 20 for the medium
// trees. Values come in the trees' own order; the time is given without and with the permutation
// into the solver's layout and back (for kernels in shared memory it is part of the load). Double
// precision. Every cell is one of 1,000 trees drawn once, so from 10,000 cells on, patterns repeat.
//
// Floor: d and b read, x written: 24 bytes a compartment over the copy bandwidth; device-memory
// variants move 9 words a compartment of storage.
//
//   bench_branch [--json FILE] [--quick]

#include <cstring>

#include "bench/tree_solvers.cuh"
#include "solver/branch/branch_device.hpp"

using namespace hillock;
using namespace hillock::solver;
using namespace hillock::bench;

namespace {

constexpr std::size_t pool = 1000;

/// One thread a cell, each with its own tree: lanes of a warp interleaved, padded to the largest.
/// Place of node i of cell c: base[c / 32] + 32·i + c mod 32.
__global__ void __launch_bounds__(32)
    own_trees_kernel(const int* __restrict__ sizes, const std::size_t* __restrict__ base,
                     std::size_t cells, const int* __restrict__ parent,
                     const double* __restrict__ coupling, double* diagonal, double* rhs) {
  const std::size_t c = blockIdx.x * std::size_t{32} + threadIdx.x;
  if (c >= cells) return;
  const std::size_t first = base[blockIdx.x] + threadIdx.x;
  const int n = sizes[c];
  for (int i = n - 1; i > 0; --i) {
    const std::size_t at = first + std::size_t{32} * i, up = first + std::size_t{32} * parent[at];
    const double a = coupling[at], q = solver::reciprocal(diagonal[at]), f = a * q;
    diagonal[at] = q;
    diagonal[up] -= f * a;
    rhs[up] += f * rhs[at];
  }
  double v = rhs[first] * solver::reciprocal(diagonal[first]);
  rhs[first] = v;
  for (int i = 1; i < n; ++i) {
    const std::size_t at = first + std::size_t{32} * i, up = first + std::size_t{32} * parent[at];
    rhs[at] = (rhs[at] + coupling[at] * rhs[up]) * diagonal[at];
  }
}

__global__ void move_own_kernel(const int* sizes, const std::size_t* base, const std::size_t* first,
                                std::size_t cells, const double* from, double* to, bool inwards) {
  for (std::size_t c = blockIdx.x; c < cells; c += gridDim.x)
    for (int i = static_cast<int>(threadIdx.x); i < sizes[c]; i += static_cast<int>(blockDim.x)) {
      const std::size_t place = base[c / 32] + std::size_t{32} * i + c % 32, natural = first[c] + i;
      if (inwards)
        to[place] = from[natural];
      else
        to[natural] = from[place];
    }
}

/// A plan of `cells` cells that repeats the plan of the pool.
BranchPlan repeat(const BranchPlan& plan, std::size_t times) {
  BranchPlan all = plan;
  for (std::size_t k = 1; k < times; ++k)
    for (std::size_t b = 0; b < plan.blocks(); ++b) {
      all.pattern_of.push_back(plan.pattern_of[b]);
      all.first_node.push_back(all.first_node.back() + plan.first_node[b + 1] - plan.first_node[b]);
      all.first_place.push_back(all.first_place.back() + plan.first_place[b + 1] -
                                plan.first_place[b]);
    }
  return all;
}

struct Variant {
  const char* name;
  BranchRoot root;
  BranchCutting cutting;
  bool sink;
  BranchMemory memory;
};

const Variant variants[] = {
    {"fine", BranchRoot::given, BranchCutting::none, false, BranchMemory::global},
    {"fine, cut", BranchRoot::given, BranchCutting::level_mean, false, BranchMemory::global},
    {"fine, re-rooted", BranchRoot::centre, BranchCutting::none, false, BranchMemory::global},
    {"fine, cut, re-rooted", BranchRoot::centre, BranchCutting::level_mean, false,
     BranchMemory::global},
    {"shared", BranchRoot::given, BranchCutting::none, false, BranchMemory::shared},
    {"shared, cut, re-rooted", BranchRoot::centre, BranchCutting::level_mean, false,
     BranchMemory::shared},
    {"shared, local, re-rooted, sunk", BranchRoot::centre, BranchCutting::local, true,
     BranchMemory::shared},
};

void run(Rows& rows, const std::string& device, const std::string& name, const BranchingTree& shape,
         std::size_t cells) {
  std::vector<std::vector<int>> trees;
  std::vector<int> tree_of;
  std::size_t compartments = 0;
  for (std::size_t t = 0; t < std::min(pool, cells); ++t) {
    trees.push_back(branching_tree(shape, 1, t));
    tree_of.push_back(static_cast<int>(t));
    compartments += trees.back().size();
  }
  const std::size_t times = cells / trees.size(), count = compartments * times;
  Values values(trees, count);
  std::printf("%s: %zu cells, %.0f compartments on average      us: solve, with permutation\n",
              name.c_str(), cells,
              static_cast<double>(compartments) / static_cast<double>(trees.size()));
  double old_us = 0;
  const auto add = [&](const char* variant, double solve, double permuted, double error, int levels,
                       int path, double padding) {
    if (old_us == 0) old_us = solve;
    char line[500];
    std::snprintf(line, sizeof line,
                  "{\"question\":\"branch\",\"device\":%s,\"trees\":%s,\"split\":%g,\"length\":%d,"
                  "\"cells\":%zu,\"compartments\":%zu,\"variant\":%s,\"solve_us\":%.4g,"
                  "\"with_permutation_us\":%.4g,\"error\":%.3g,\"levels\":%d,\"path\":%d,"
                  "\"storage_ratio\":%.3g}",
                  quoted(device).c_str(), quoted(name).c_str(), shape.split, shape.length, cells,
                  count, quoted(variant).c_str(), solve, permuted, error, levels, path, padding);
    rows.add(line);
    std::printf("  %-32s %10.1f %10.1f  x%.2f  %.0e\n", variant, solve, permuted, old_us / solve,
                error);
  };
  const int runs = cells > 20000 ? 7 : 20;

  {  // one thread a cell
    std::vector<int> sizes;
    std::vector<std::size_t> base, first;
    std::size_t places = 0, nodes = 0;
    for (std::size_t c = 0; c < cells; ++c) {
      const int n = static_cast<int>(trees[c % trees.size()].size());
      if (c % 32 == 0) {
        std::size_t most = 0;
        for (std::size_t k = c; k < std::min(cells, c + 32); ++k)
          most = std::max(most, trees[k % trees.size()].size());
        base.push_back(places);
        places += 32 * most;
      }
      sizes.push_back(n);
      first.push_back(nodes);
      nodes += trees[c % trees.size()].size();
    }
    std::vector<int> parent(places, 0);
    std::vector<double> coupling(places, 0);
    for (std::size_t c = 0; c < cells; ++c)
      for (std::size_t i = 0; i < trees[c % trees.size()].size(); ++i) {
        parent[base[c / 32] + 32 * i + c % 32] = trees[c % trees.size()][i];
        coupling[base[c / 32] + 32 * i + c % 32] = values.couplings[c % trees.size()][i];
      }
    const DeviceArray<int> s(sizes), p(parent);
    const DeviceArray<std::size_t> at(base), from(first);
    const DeviceArray<double> a(coupling);
    DeviceArray<double> d(places), b(places);
    const auto move = [&](const double* source, double* target, bool inwards) {
      move_own_kernel<<<4096, 128>>>(s.data(), at.data(), from.data(), cells, source, target,
                                     inwards);
    };
    const auto solve = [&] {
      own_trees_kernel<<<static_cast<unsigned>((cells + 31) / 32), 32>>>(
          s.data(), at.data(), cells, p.data(), a.data(), d.data(), b.data());
      HILLOCK_CUDA(cudaGetLastError());
    };
    move(values.diagonal.data(), d.data(), true);
    move(values.fresh_rhs.data(), b.data(), true);
    solve();
    move(b.data(), values.rhs.data(), false);
    const double error = values.error(values.rhs.data(), count, 1);
    const double with = median_us(1, runs, [&] {
      move(values.diagonal.data(), d.data(), true);
      move(values.fresh_rhs.data(), b.data(), true);
      solve();
      move(b.data(), values.rhs.data(), false);
    });
    const double moves = median_us(1, runs, [&] {
      move(values.diagonal.data(), d.data(), true);
      move(values.fresh_rhs.data(), b.data(), true);
      move(b.data(), values.rhs.data(), false);
    });
    add("old: one thread a cell", with - moves, with, error, 0, 0,
        static_cast<double>(places) / static_cast<double>(nodes));
  }

  for (const Variant& variant : variants) {
    BranchOptions options;
    options.root = variant.root;
    options.cutting = variant.cutting;
    options.sink_subtrees = variant.sink;
    options.threads = 128;
    if (variant.memory == BranchMemory::shared) {
      options.most_values = 3000;
      if (cells <= pool) options.most_cells = 4;
    }
    const BranchPlan plan = repeat(make_branch_plan(trees, tree_of, options), times);
    BranchDevice<double> solver(plan, values.couplings, variant.memory);
    int levels = 0, path = 0;
    for (const auto& pattern : plan.patterns) {
      levels = std::max(levels, pattern.levels());
      path = std::max(path, pattern.critical_path());
    }
    DeviceArray<double> d(solver.storage()), b(solver.storage());
    const double padding = static_cast<double>(plan.storage()) / static_cast<double>(count);
    values.reset();
    solver.solve(
        {values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
    const double error = values.error(values.rhs.data(), count, 1);
    const double with = median_us(1, runs, [&] {
      solver.solve(
          {values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
    });
    solver.permute_in(values.diagonal.data(), d.data());
    solver.permute_in(values.fresh_rhs.data(), b.data());
    const double solve = median_us(1, runs, [&] {
      solver.solve({d.data(), b.data(), nullptr, BranchOrder::solver, 1, nullptr});
    });
    add(variant.name, solve, with, error, levels, path, padding);
  }
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
  const std::pair<const char*, double> shapes[] = {{"high", 0.9}, {"medium", 0.5}, {"low", 0.1}};
  for (const auto& [name, split] : shapes)
    for (const std::size_t cells : {10, 100, 1000, 10000, 100000}) {
      if (quick && cells != 100 && cells != 10000) continue;
      run(rows, device, name, {8, split, 10, 0.9}, cells);
    }
  if (!quick)
    for (const int length : {5, 20}) run(rows, device, "medium", {8, 0.5, length, 0.9}, 1000);
}
