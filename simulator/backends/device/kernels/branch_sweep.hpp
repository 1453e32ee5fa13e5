#pragma once
// The CPU's elimination and substitution on one cell, by the threads of a team: a branch is one
// thread's at a time, which keeps the running row in registers; branches of one level are worked on
// side by side. The CPU's arithmetic, number for number: a row takes in its children from the last
// to the first, and divides by IEEE's rules. Quick sweeps have other last bits.

#include "simulator/backends/device/kernels/cell_context.hpp"

namespace hillock::simulator::on_device {

/// Calls eliminate(Branch) of those of a level side by side, from the tips to the root, then
/// substitute(Branch) on the way back. The team is in step before; it is not after.
template <class Cell, class Team, class Eliminate, class Substitute>
__device__ __forceinline__ void sweep_branches(const Cell& cell, const Team& team,
                                               const Eliminate& eliminate,
                                               const Substitute& substitute) {
#pragma unroll 1
  for (int level = cell.levels(); level-- > 0;) {
    const int end = cell.branch_of_level(level + 1);
#pragma unroll 1
    for (int b = cell.branch_of_level(level) + team.rank(); b < end; b += Team::count)
      eliminate(cell.branch(b));
    if (level > 0) team.sync();
  }
#pragma unroll 1
  for (int level = 0; level < cell.levels(); ++level) {
    const int end = cell.branch_of_level(level + 1);
#pragma unroll 1
    for (int b = cell.branch_of_level(level) + team.rank(); b < end; b += Team::count)
      substitute(cell.branch(b));
    if (level + 1 < cell.levels()) team.sync();
  }
}

/// Cell: a CellContext. resets: whether diagonals are to be what never changes of them afterwards.
template <class Cell, class Team, bool resets>
class BranchSweep {
 public:
  __device__ explicit BranchSweep(const Cell& cell) : cell_(cell) {}

  /// From diagonals d and right-hand sides x to the solution in x. The team is in step before; it
  /// is not after.
  __device__ __forceinline__ void solve() const {
    sweep_branches(
        cell_, team_, [this](const Branch branch) { eliminate(branch); },
        [this](const Branch branch) { substitute(branch); });
  }

 private:
  using Real = typename Cell::Real;
  static constexpr int ahead = 4;  // rows whose numbers are on their way

  /// Of a row whose pivot changes.
  __device__ __forceinline__ Real coupling(int r) const {
    return cell_.template constant_of<RowTable::coupling_uS>(r);
  }

  /// From the last row of a branch to its first.
  __device__ __forceinline__ void eliminate(const Branch branch) const {
    int r = branch.last;
    const bool changes = r < branch.constant_from;
    Real x = cell_.x(r), d = changes ? cell_.d(r) : Real(0);
#pragma unroll 1
    for (int k = branch.children_end; k-- > branch.children_begin;) {
      const auto its = cell_.joining(cell_.child(k), changes);
      if (changes) d = mechanisms::fma(-its.factor, its.coupling_uS, d);
      x = mechanisms::fma(its.factor, its.x, x);
    }
    cell_.x(r) = x;
    const int constant = branch.constant_from > branch.first ? branch.constant_from : branch.first;
    if (r >= branch.constant_from) {
      r = pass_constant(r, constant, x);
      if (r == branch.first) return;
      // The lowest row that changes takes in one that does not.
      const Real factor = cell_.constant_factor(r);
      d = mechanisms::fma(-factor, cell_.coupling_uS(r), cell_.d(r - 1));
      x = mechanisms::fma(factor, x, cell_.x(r - 1));
      --r;
      cell_.x(r) = x;
    }
    if constexpr (Cell::is_quick) r = pass_changing(r, branch.first, d, x);
#pragma unroll 1
    while (r > branch.first) {
      const Real next_d = cell_.d(r - 1), next_x = cell_.x(r - 1), own_coupling = coupling(r);
      const Real factor = keep_pivot(r, d, own_coupling);
      d = mechanisms::fma(-factor, own_coupling, next_d);
      x = mechanisms::fma(factor, x, next_x);
      --r;
      cell_.x(r) = x;
    }
    if (r > 0)
      keep_pivot(r, d, coupling(r));
    else
      cell_.d(0) = d;
  }

  /// Of a quick sweep: rows above r whose pivots change, several at a time, down to `first` or less
  /// than that many below it. The determinants of a row and those below it in its turn, of which
  /// pivots are quotients, need a product and a sum each, and all quotients are found at once.
  __device__ __forceinline__ int pass_changing(int r, int first, Real& d, Real& x) const {
#pragma unroll 1
    for (; r - ahead >= first; r -= ahead) {
      Real next_d[ahead], next_x[ahead], own[ahead], determinant[ahead + 1], pivot[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        next_d[k] = cell_.d(r - k - 1);
        next_x[k] = cell_.x(r - k - 1);
        own[k] = coupling(r - k);
      }
      determinant[0] = d;
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Real before = k > 0 ? determinant[k - 1] : Real(1);
        determinant[k + 1] = mechanisms::fma(next_d[k], determinant[k], -own[k] * own[k] * before);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Real reciprocal = reciprocal_of(determinant[k]);
        pivot[k] = k > 0 ? determinant[k - 1] * reciprocal : reciprocal;
        if (k == ahead - 1) d = determinant[ahead] * reciprocal;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Real factor = own[k] * pivot[k];
        keep(r - k, pivot[k], factor);
        x = mechanisms::fma(factor, x, next_x[k]);
        cell_.x(r - k - 1) = x;
      }
    }
    return r;
  }

  /// Rows above r, down to `first`, whose pivots never change.
  __device__ __forceinline__ int pass_constant(int r, int first, Real& x) const {
#pragma unroll 1
    for (; r - ahead >= first; r -= ahead) {
      Real factor[ahead], rhs[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        factor[k] = cell_.constant_factor(r - k);
        rhs[k] = cell_.x(r - k - 1);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        x = mechanisms::fma(factor[k], x, rhs[k]);
        cell_.x(r - k - 1) = x;
      }
    }
#pragma unroll 1
    for (; r > first; --r) {
      x = mechanisms::fma(cell_.constant_factor(r), x, cell_.x(r - 1));
      cell_.x(r - 1) = x;
    }
    return r;
  }

  /// The row's coupling over its pivot.
  __device__ __forceinline__ Real keep_pivot(int r, Real d, Real its_coupling) const {
    const Real reciprocal = reciprocal_of(d);
    const Real factor = its_coupling * reciprocal;
    keep(r, reciprocal, factor);
    return factor;
  }
  /// For the way back.
  __device__ __forceinline__ void keep(int r, Real reciprocal, Real factor) const {
    cell_.d(r) = reciprocal;
    if constexpr (!Cell::in_place) cell_.factor(r) = factor;
  }
  __device__ __forceinline__ static Real reciprocal_of(Real d) {
    if constexpr (Cell::is_quick)
      return quick_quotient(1.0, d);
    else
      return Real(1) / d;
  }

  /// From the first row of a branch to its last.
  __device__ __forceinline__ void substitute(const Branch branch) const {
    int r = branch.first;
    Real above = 0;
    if (branch.parent < 0) {
      above = cell_.x(0) / cell_.d(0);
      cell_.x(0) = above;
      ++r;
    } else {
      above = cell_.x(branch.parent);
    }
    const int end = branch.last + 1;
    const int changing = branch.constant_from < end ? branch.constant_from : end;
    if constexpr (Cell::in_place) {
      descend(
          r, changing, above, [this](int row) { return cell_.changing_factor(row); },
          [this](int row) { return cell_.d(row); });
      descend(
          r < changing ? changing : r, end, above,
          [this](int row) { return cell_.constant_factor(row); },
          [this](int row) { return cell_.constant_pivot(row); });
    } else {
      descend(
          r, end, above, [this](int row) { return cell_.factor(row); },
          [this](int row) { return cell_.d(row); });
    }
    if constexpr (resets)
#pragma unroll 1
      for (r = branch.first; r < changing; ++r)
        cell_.d(r) = cell_.template constant_of<RowTable::constant>(r);
  }

  /// The solution of rows from r to before `end`, below one whose solution is `above`.
  template <class Factor, class Reciprocal>
  __device__ __forceinline__ void descend(int r, int end, Real& above, const Factor& factor_of,
                                          const Reciprocal& reciprocal_of) const {
#pragma unroll 1
    for (; r < end; r += ahead) {
      Real factor[ahead], own[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const int row = r + k < end ? r + k : end - 1;
        factor[k] = factor_of(row);
        own[k] = cell_.x(row) * reciprocal_of(row);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Real found = mechanisms::fma(factor[k], above, own[k]);
        if (r + k < end) cell_.x(r + k) = above = found;
      }
    }
  }

  const Cell& cell_;
  const Team team_{};
};

}  // namespace hillock::simulator::on_device
