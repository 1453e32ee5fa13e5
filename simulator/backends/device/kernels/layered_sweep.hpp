#pragma once
// Elimination and substitution of one cell with extracellular layers, by the threads of a team, as
// BranchSweep does it without: a branch is one thread's at a time, which keeps the running row's
// block in registers. The CPU's arithmetic, number for number.

#include "simulator/backends/device/kernels/branch_sweep.hpp"
#include "solver/layer_block.hpp"

namespace hillock::simulator::on_device {

/// Cell: a CellContext.
template <class Cell, class Team>
class LayeredSweep {
 public:
  __device__ explicit LayeredSweep(const Cell& cell) : cell_(cell) {}

  /// From what a step adds up in rows to potentials: those inside in x, those of layers in
  /// next_potential. The team is in step before; it is not after.
  __device__ __forceinline__ void solve() const {
    sweep_branches(
        cell_, team_, [this](const Branch branch) { eliminate(branch); },
        [this](const Branch branch) { substitute(branch); });
  }

 private:
  using Real = typename Cell::Real;
  static constexpr int layers = Cell::layers, n = layers + 1;
  static constexpr int ahead = 4;  // rows whose numbers are on their way
  using Block = solver::LayerBlock<Real, n>;
  using Eliminated = solver::EliminatedRow<Real, n>;
  const Team team_{};

  /// From the last row of a branch to its first.
  __device__ __forceinline__ void eliminate(const Branch branch) const {
    int r = branch.last;
    Block block = block_of(r);
    Real along[n];
#pragma unroll 1
    for (int k = branch.children_end; k-- > branch.children_begin;) {
      const int c = cell_.child(k).row;
      find_along(c, along);
      eliminated(c).join(block, along);
    }
    // Numbers of a row are on their way while the one below the next is worked on.
    Block above{};
    if (r > branch.first) above = block_of(r - 1);
#pragma unroll 1
    for (; r > branch.first; --r) {
      const Block beyond = block_of(r - 1 > branch.first ? r - 2 : r - 1);
      find_along(r, along);
      const Eliminated row(block, along);
      row.join(above, along);
      keep(r, row);
      block = above;
      above = beyond;
    }
    if (r > 0) {
      find_along(r, along);
      keep(r, Eliminated(block, along));
    } else {
      Real x[n];
      solver::solve_root<Real, n>(block, x);
      set_solution(0, x);
    }
  }

  /// From the first row of a branch to its last.
  __device__ __forceinline__ void substitute(const Branch branch) const {
    int r = branch.first;
    const int above = branch.parent < 0 ? r++ : branch.parent;
    Real x[n] = {cell_.x(above)};
#pragma unroll
    for (int l = 0; l < layers; ++l) x[l + 1] = cell_.next_potential(l, above);
#pragma unroll 1
    for (; r + ahead - 1 <= branch.last; r += ahead) {
      Eliminated rows[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) rows[k] = eliminated(r + k);
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        rows[k].substitute(x);
        set_solution(r + k, x);
      }
    }
#pragma unroll 1
    for (; r <= branch.last; ++r) {
      eliminated(r).substitute(x);
      set_solution(r, x);
    }
  }

  __device__ __forceinline__ void find_along(int r, Real (&along)[n]) const {
    along[0] = cell_.template constant_of<RowTable::coupling_uS>(r);
    along[1] = cell_.template constant_of<RowTable::along_0>(r);
    if constexpr (layers > 1) along[2] = cell_.template constant_of<RowTable::along_1>(r);
  }

  __device__ __forceinline__ Block block_of(int r) const {
    using enum RowTable;
    solver::LayersAtRow<Real, n> at{cell_.template constant_of<has_layers>(r),
                                    cell_.template constant_of<inside_uS>(r),
                                    {cell_.template constant_of<diagonal_0>(r)},
                                    {cell_.template constant_of<across_0>(r)},
                                    {cell_.template constant_of<charge_0>(r)}};
    if constexpr (layers > 1) {
      at.diagonal[1] = cell_.template constant_of<diagonal_1>(r);
      at.across[1] = cell_.template constant_of<across_1>(r);
      at.charge[1] = cell_.template constant_of<charge_1>(r);
    }
    solver::LayerRowOfStep<Real, n> row{cell_.d(r),
                                        cell_.x(r),
                                        cell_.electrode_uS_of(r),
                                        cell_.electrode_nA_of(r),
                                        cell_.ground_nA_of(r),
                                        {}};
#pragma unroll
    for (int l = 0; l < layers; ++l) row.potential[l] = cell_.potential(l, r);
    return solver::layer_block<Real, n>(at, row);
  }

  __device__ __forceinline__ Eliminated eliminated(int r) const {
    Eliminated row;
    row.own[0] = cell_.x(r);
#pragma unroll
    for (int l = 0; l < layers; ++l) row.own[l + 1] = cell_.next_potential(l, r);
#pragma unroll
    for (int j = 0; j < n; ++j)
#pragma unroll
      for (int k = 0; k < n; ++k) row.share[j][k] = cell_.share_of_parent(j * n + k, r);
    return row;
  }
  __device__ __forceinline__ void keep(int r, const Eliminated& row) const {
    set_solution(r, row.own);
#pragma unroll
    for (int j = 0; j < n; ++j)
#pragma unroll
      for (int k = 0; k < n; ++k) cell_.share_of_parent(j * n + k, r) = row.share[j][k];
  }
  __device__ __forceinline__ void set_solution(int r, const Real (&x)[n]) const {
    cell_.x(r) = x[0];
#pragma unroll
    for (int l = 0; l < layers; ++l) cell_.next_potential(l, r) = x[l + 1];
  }

  const Cell& cell_;
};

}  // namespace hillock::simulator::on_device
