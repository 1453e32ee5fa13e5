// A kernel that is none of the solver's calls contraction on values in its own shared memory: by a
// block, by a warp, by one thread. Label: gpu.

#include <gtest/gtest.h>

#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/batches/contraction/host.hpp"
#include "solver/cuda/memory.cuh"
#include "tests/solver/batches/gpu/device_check.hpp"

namespace hillock::solver {
namespace {

using ContractionInAKernel = OnDevice;

/// Everything of a cell in shared memory; factors lie on edges.
template <class Real>
struct SharedCell {
  Real *d, *a, *v;
  Pair<Real>*entries, *slots;
  __device__ Real diagonal(int node) const { return d[node]; }
  __device__ Real coupling(int node) const { return a[node]; }
  __device__ Real& x(int node) const { return v[node]; }
  __device__ Pair<Real>& inbox(int entry) const { return entries[entry]; }
  __device__ Pair<Real>& edges(int task) const { return slots[task]; }
  __device__ Real& edge(int slot) const { return reinterpret_cast<Real*>(slots)[slot]; }
  __device__ Pair<Real>& factors(int task) const { return slots[task]; }
};

/// A cell a block.
template <class Real, class Team>
__global__ void solve_kernel(contraction::Tables tree, int nodes, const Real* diagonal,
                             const Real* coupling, Real* rhs, int repeats) {
  extern __shared__ __align__(16) unsigned char memory[];
  Pair<Real>* const entries = reinterpret_cast<Pair<Real>*>(memory);
  Real* const values = reinterpret_cast<Real*>(entries + tree.entries + tree.tasks);
  SharedCell<Real> cell{values, values + nodes, values + 2 * nodes, entries,
                        entries + tree.entries};
  const Team team;
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(nodes);
  for (int i = team.rank(); i < nodes; i += team.size()) {
    cell.d[i] = diagonal[first + i];
    cell.a[i] = coupling[first + i];
    cell.v[i] = rhs[first + i];
  }
  team.sync();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    contraction::place_couplings(team, tree, cell);
    contraction::solve<Real>(team, tree, cell);
  }
  for (int i = team.rank(); i < nodes; i += team.size()) rhs[first + i] = cell.v[i];
}

template <class Real, class Team>
std::vector<Real> solved(const ContractionSchedule& s, const Batch<Real>& values, int cells,
                         int threads, int repeats) {
  std::vector<int> all;
  std::vector<std::size_t> at;
  for (const auto* table : {&s.step_start, &s.node, &s.a, &s.b, &s.give_a, &s.give_b, &s.give_edge,
                            &s.inbox_start, &s.coupling_of}) {
    at.push_back(all.size());
    all.insert(all.end(), table->begin(), table->end());
  }
  const DeviceArray<int> tables(all);
  const int* const t = tables.data();
  const contraction::Tables tree{t + at[0], t + at[1],      t + at[2], t + at[3],
                                 t + at[4], t + at[5],      t + at[6], t + at[7],
                                 t + at[8], s.task_count(), s.steps(), s.entry_count};
  const DeviceArray<Real> d(values.diagonal), a(values.coupling);
  DeviceArray<Real> x(values.rhs);
  const std::size_t bytes =
      sizeof(Real) *
      static_cast<std::size_t>(2 * (s.entry_count + s.task_count()) + 3 * s.node_count);
  HILLOCK_CUDA(cudaFuncSetAttribute(solve_kernel<Real, Team>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  solve_kernel<Real, Team><<<static_cast<unsigned>(cells), static_cast<unsigned>(threads), bytes>>>(
      tree, s.node_count, d.data(), a.data(), x.data(), repeats);
  HILLOCK_CUDA(cudaGetLastError());
  HILLOCK_CUDA(cudaDeviceSynchronize());
  return x.to_host();
}

template <class Real>
void check(const std::vector<int>& tree) {
  constexpr int cells = 5, repeats = 3;
  const auto schedule = make_contraction_schedule(tree);
  const Batch<Real> values({tree}, std::vector<int>(cells, 0), 10, true, repeats, Excess::one);
  const auto by_block = solved<Real, BlockTeam>(schedule, values, cells, 96, repeats);
  values.expect_solved(by_block, 10, repeats);
  EXPECT_EQ(by_block, (solved<Real, WarpTeam>(schedule, values, cells, 32, repeats)));
  EXPECT_EQ(by_block, (solved<Real, TeamOfOne>(schedule, values, cells, 1, repeats)));
}

TEST_F(ContractionInAKernel, SolvesAndEveryTeamGivesTheSameBits) {
  for (const auto& tree : {cable_tree(1), cable_tree(33), attachment_tree(570, 0.9, 1),
                           attachment_tree(300, 0, 2), star_tree(100, 5)}) {
    check<double>(tree);
    check<float>(tree);
  }
}

}  // namespace
}  // namespace hillock::solver
