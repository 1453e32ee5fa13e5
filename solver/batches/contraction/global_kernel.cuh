#pragma once
// The kernel for cells that do not fit the registers: a block a cell, everything in device memory
// and tasks strided over threads (team_solve.hpp). Only contraction_device.cu includes this.

#include <cuda_runtime.h>

#include "solver/batches/contraction/views.cuh"
#include "solver/contraction/team_solve.hpp"

namespace hillock::solver::contraction {

/// A cell whose values lie in device memory (team_solve.hpp).
template <class Real>
struct GlobalCell {
  const Real* matrix_diagonal;
  const Real* matrix_coupling;
  Real* rhs;
  Pair<Real>*entries, *slots, *kept;
  __device__ Real diagonal(int node) const { return matrix_diagonal[node]; }
  __device__ Real coupling(int node) const { return matrix_coupling[node]; }
  __device__ Real& x(int node) const { return rhs[node]; }
  __device__ Pair<Real>& inbox(int entry) const { return entries[entry]; }
  __device__ Pair<Real>& edges(int task) const { return slots[task]; }
  __device__ Real& edge(int slot) const { return reinterpret_cast<Real*>(slots)[slot]; }
  __device__ Pair<Real>& factors(int task) const { return kept[task]; }
};

template <class Real>
__global__ void __launch_bounds__(1024) global_kernel(const GlobalArguments<Real> args) {
  const BlockTeam team;
  const Work work = args.work[blockIdx.x];
  const GlobalView<Real> tree = args.templates[work.tree];
  Pair<Real>* const scratch =
      reinterpret_cast<Pair<Real>*>(args.scratch + blockIdx.x * args.scratch_stride);
  for (int position = work.begin; position < work.end; ++position) {
    const std::size_t offset = args.offsets[args.cell_list[position]];
    GlobalCell<Real> cell{args.diagonal + offset,
                          args.coupling != nullptr ? args.coupling + offset : tree.coupling,
                          args.rhs + offset,
                          scratch,
                          scratch + tree.tables.entries,
                          scratch + tree.tables.entries + tree.tables.tasks};
    place_couplings(team, tree.tables, cell);
    for (int repeat = 0; repeat < args.repeats; ++repeat) solve<Real>(team, tree.tables, cell);
  }
}

}  // namespace hillock::solver::contraction
