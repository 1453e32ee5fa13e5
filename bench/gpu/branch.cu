// The fine-grained solver against one thread a cell on the GPU. Values come in the trees' own
// order; the time is given without and with the permutation into the solver's layout and back (for
// kernels in shared memory it is part of the load). Double precision.
//
// Floor: d and b read, x written: 24 bytes a compartment over the copy bandwidth; device-memory
// variants move 9 words a compartment of storage.

#include "bench/gpu/tree_solvers.cuh"
#include "bench/gpu/trees.hpp"
#include "solver/batches/branch/branch_device.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

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
      const std::size_t slot = base[c / 32] + std::size_t{32} * i + c % 32, natural = first[c] + i;
      if (inwards)
        to[slot] = from[natural];
      else
        to[natural] = from[slot];
    }
}

/// A plan of `cells` cells that repeats the plan of the pool.
BranchPlan repeat(const BranchPlan& plan, std::size_t times) {
  BranchPlan all = plan;
  for (std::size_t k = 1; k < times; ++k)
    for (std::size_t b = 0; b < plan.blocks(); ++b) {
      all.pattern_of.push_back(plan.pattern_of[b]);
      all.first_node.push_back(all.first_node.back() + plan.first_node[b + 1] - plan.first_node[b]);
      all.first_slot.push_back(all.first_slot.back() + plan.first_slot[b + 1] - plan.first_slot[b]);
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

/// Huber's "old" solver.
BranchResult one_thread_a_cell(const DrawnCells& drawn, Values& values, std::size_t cells,
                               int runs) {
  const auto& trees = drawn.trees;
  const std::size_t count = values.rhs.size();
  std::vector<int> sizes;
  std::vector<std::size_t> base, first;
  std::size_t slots = 0, nodes = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    const int n = static_cast<int>(trees[c % trees.size()].size());
    if (c % 32 == 0) {
      std::size_t most = 0;
      for (std::size_t k = c; k < std::min(cells, c + 32); ++k)
        most = std::max(most, trees[k % trees.size()].size());
      base.push_back(slots);
      slots += 32 * most;
    }
    sizes.push_back(n);
    first.push_back(nodes);
    nodes += trees[c % trees.size()].size();
  }
  std::vector<int> parent(slots, 0);
  std::vector<double> coupling(slots, 0);
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t i = 0; i < trees[c % trees.size()].size(); ++i) {
      parent[base[c / 32] + 32 * i + c % 32] = trees[c % trees.size()][i];
      coupling[base[c / 32] + 32 * i + c % 32] = drawn.couplings[c % trees.size()][i];
    }
  const DeviceArray<int> s(sizes), p(parent);
  const DeviceArray<std::size_t> at(base), from(first);
  const DeviceArray<double> a(coupling);
  DeviceArray<double> d(slots), b(slots);
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
  return {"old: one thread a cell",
          with - moves,
          with,
          error,
          0,
          0,
          static_cast<double>(slots) / static_cast<double>(nodes)};
}

BranchResult one_thread_a_branch(const Variant& variant, const DrawnCells& drawn, Values& values,
                                 std::size_t cells, int runs) {
  const std::size_t count = values.rhs.size();
  BranchOptions options;
  options.root = variant.root;
  options.cutting = variant.cutting;
  options.sink_subtrees = variant.sink;
  options.threads = 128;
  if (variant.memory == BranchMemory::shared) {
    options.most_values = 3000;
    if (cells <= drawn.trees.size()) options.most_cells = 4;
  }
  const BranchPlan plan = repeat(make_branch_plan(drawn.shape(drawn.trees.size()), options),
                                 cells / drawn.trees.size());
  const auto solver = branch_on_device<double>(plan, drawn.couplings, variant.memory);
  int levels = 0, path = 0;
  for (const auto& pattern : plan.patterns) {
    levels = std::max(levels, pattern.levels());
    path = std::max(path, pattern.critical_path());
  }
  DeviceArray<double> d(solver->storage()), b(solver->storage());
  const double padding = static_cast<double>(plan.storage()) / static_cast<double>(count);
  values.reset();
  solver->solve(
      {values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
  const double error = values.error(values.rhs.data(), count, 1);
  const double with = median_us(1, runs, [&] {
    solver->solve(
        {values.diagonal.data(), values.rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
  });
  solver->permute_in(values.diagonal.data(), d.data());
  solver->permute_in(values.fresh_rhs.data(), b.data());
  const double solve = median_us(1, runs, [&] {
    solver->solve({d.data(), b.data(), nullptr, BranchOrder::solver, 1, nullptr});
  });
  return {variant.name, solve, with, error, levels, path, padding};
}

}  // namespace

std::vector<BranchResult> measure_branch(const DrawnCells& drawn, std::size_t cells) {
  std::size_t compartments = 0;
  for (const auto& tree : drawn.trees) compartments += tree.size();
  Values values(drawn, compartments * (cells / drawn.trees.size()));
  const int runs = cells > 20000 ? 7 : 20;
  std::vector<BranchResult> results{one_thread_a_cell(drawn, values, cells, runs)};
  for (const Variant& variant : variants)
    results.push_back(one_thread_a_branch(variant, drawn, values, cells, runs));
  return results;
}

}  // namespace hillock::bench
