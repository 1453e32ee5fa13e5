#pragma once
// The arithmetic of one row of a cell with extracellular layers, on host and device. A row has a
// block of n unknowns: the potential inside, u, and one of each layer, e, from the membrane
// outwards. With D what conducts through the membrane, C/dt with it,
//
//   (D + Σ g) u - D e[0] - Σ g·u(neighbour)                                 = membrane + electrodes
//   (D + Σ along + across) e[0] - D u - across e[1] - Σ along·e(neighbour)  = charge - membrane
//
// and so on outwards, where all but g and D is left out of rows without layers, whose e are 0.
// Neighbours are tied unknown by unknown, so that blocks are eliminated as the rows of other trees
// are (Hines 1984). V: double, float, long double or a pack. Includes no standard header, so that
// NVRTC can compile it.

#include "core/simd/arithmetic.hpp"
#include "core/simd/targets.hpp"

// Every turn is written out, so that what a loop counts through may lie in registers.
#if defined(__CUDACC__)
#define HILLOCK_WRITTEN_OUT _Pragma("unroll")
#else
#define HILLOCK_WRITTEN_OUT _Pragma("GCC unroll 3")
#endif

namespace hillock::solver::inline HILLOCK_ISA {

namespace layer_arithmetic {

/// a·b + c, rounded once; of long doubles twice, of which a double sees nothing.
template <class V>
HILLOCK_FUNCTION V fused(const V& a, const V& b, const V& c) {
  if constexpr (sizeof(V) == sizeof(float) && requires(float f) { f = a; }) {
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
  } else if constexpr (requires(long double& d) { V(d); } && sizeof(V) > sizeof(double)) {
    return a * b + c;
  } else {
    return fma(a, b, c);
  }
}

}  // namespace layer_arithmetic

/// What never changes of a row.
template <class V, int n>
struct LayersAtRow {
  V has;     ///< 1 where there are layers, else 0
  V inside;  ///< the sum of its couplings
  // [layer]
  V diagonal[n - 1];  ///< all but D; 1 where there are no layers
  V across[n - 1];    ///< outwards, with what capacities make of a step
  V charge[n - 1];    ///< that part of it
};

/// Symmetric.
template <class V, int n>
struct LayerBlock {
  V lower[n * (n + 1) / 2];
  V rhs[n];

  HILLOCK_FUNCTION V& at(int j, int k) { return lower[j * (j + 1) / 2 + k]; }
  HILLOCK_FUNCTION const V& at(int j, int k) const { return lower[j * (j + 1) / 2 + k]; }
};

/// What a step adds to a row.
template <class V, int n>
struct LayerRowOfStep {
  V membrane_uS, membrane_nA;
  V electrode_uS, electrode_nA;  ///< to the inside, not through the membrane
  V ground_nA;                   ///< into the outermost layer
  V potential[n - 1];            ///< of layers, before the step
};

template <class V, int n>
requires(n == 2 ||
         n == 3) HILLOCK_FUNCTION LayerBlock<V, n> layer_block(const LayersAtRow<V, n>& at,
                                                               const LayerRowOfStep<V, n>& row) {
  LayerBlock<V, n> block;
  const V through = row.membrane_uS * at.has;
  block.at(0, 0) = row.membrane_uS + row.electrode_uS + at.inside;
  block.at(1, 0) = -through;
  block.rhs[0] = row.membrane_nA + row.electrode_nA;
  block.at(1, 1) = through + at.diagonal[0];
  block.rhs[1] = -(row.membrane_nA * at.has);
  if constexpr (n == 2) {
    block.rhs[1] = block.rhs[1] + at.charge[0] * row.potential[0];
  } else {
    const V between = at.charge[0] * (row.potential[0] - row.potential[1]);
    block.rhs[1] = block.rhs[1] + between;
    block.at(2, 0) = V{};
    block.at(2, 1) = -at.across[0];
    block.at(2, 2) = at.diagonal[1];
    block.rhs[2] = at.charge[1] * row.potential[1] - between;
  }
  block.rhs[n - 1] = block.rhs[n - 1] + row.ground_nA;
  return block;
}

/// L D L' of a block.
template <class V, int n>
struct LayerFactors {
  V below[n][n], reciprocal[n];

  HILLOCK_FUNCTION explicit LayerFactors(const LayerBlock<V, n>& block) {
    using layer_arithmetic::fused;
    HILLOCK_WRITTEN_OUT
    for (int j = 0; j < n; ++j) {
      V scaled[n];  // row j, times D
      HILLOCK_WRITTEN_OUT
      for (int k = 0; k < j; ++k) {
        scaled[k] = block.at(j, k);
        HILLOCK_WRITTEN_OUT
        for (int i = 0; i < k; ++i) scaled[k] = fused<V>(-below[k][i], scaled[i], scaled[k]);
      }
      V pivot = block.at(j, j);
      HILLOCK_WRITTEN_OUT
      for (int k = 0; k < j; ++k) {
        below[j][k] = scaled[k] * reciprocal[k];
        pivot = fused<V>(-below[j][k], scaled[k], pivot);
      }
      reciprocal[j] = 1 / pivot;
    }
  }

  /// x: the right-hand side, then the solution.
  HILLOCK_FUNCTION void solve(V (&x)[n]) const {
    using layer_arithmetic::fused;
    HILLOCK_WRITTEN_OUT
    for (int j = 1; j < n; ++j) {
      HILLOCK_WRITTEN_OUT
      for (int k = 0; k < j; ++k) x[j] = fused<V>(-below[j][k], x[k], x[j]);
    }
    HILLOCK_WRITTEN_OUT
    for (int j = n - 1; j >= 0; --j) {
      x[j] = x[j] * reciprocal[j];
      HILLOCK_WRITTEN_OUT
      for (int k = j + 1; k < n; ++k) x[j] = fused<V>(-below[k][j], x[k], x[j]);
    }
  }
};

/// Of a row that is eliminated: its solution is own + share · (the parent's).
template <class V, int n>
struct EliminatedRow {
  V share[n][n], own[n];

  /// along: to the parent, by unknown.
  HILLOCK_FUNCTION EliminatedRow(const LayerBlock<V, n>& block, const V (&along)[n]) {
    const LayerFactors<V, n> factors(block);
    HILLOCK_WRITTEN_OUT
    for (int k = 0; k < n; ++k) {
      V column[n]{};
      column[k] = along[k];
      factors.solve(column);
      HILLOCK_WRITTEN_OUT
      for (int j = 0; j < n; ++j) share[j][k] = column[j];
      own[k] = block.rhs[k];
    }
    factors.solve(own);
  }
  HILLOCK_FUNCTION EliminatedRow() {}

  /// Takes it into its parent.
  HILLOCK_FUNCTION void join(LayerBlock<V, n>& parent, const V (&along)[n]) const {
    using layer_arithmetic::fused;
    HILLOCK_WRITTEN_OUT
    for (int j = 0; j < n; ++j) {
      HILLOCK_WRITTEN_OUT
      for (int k = 0; k <= j; ++k)
        parent.at(j, k) = fused<V>(-along[j], share[j][k], parent.at(j, k));
      parent.rhs[j] = fused<V>(along[j], own[j], parent.rhs[j]);
    }
  }
  /// x: the parent's solution, then its own.
  HILLOCK_FUNCTION void substitute(V (&x)[n]) const {
    using layer_arithmetic::fused;
    V sums[n];
    HILLOCK_WRITTEN_OUT
    for (int j = 0; j < n; ++j) {
      sums[j] = own[j];
      HILLOCK_WRITTEN_OUT
      for (int k = 0; k < n; ++k) sums[j] = fused<V>(share[j][k], x[k], sums[j]);
    }
    HILLOCK_WRITTEN_OUT
    for (int j = 0; j < n; ++j) x[j] = sums[j];
  }
};

/// x: a root's solution.
template <class V, int n>
HILLOCK_FUNCTION void solve_root(const LayerBlock<V, n>& block, V (&x)[n]) {
  HILLOCK_WRITTEN_OUT
  for (int j = 0; j < n; ++j) x[j] = block.rhs[j];
  LayerFactors<V, n>(block).solve(x);
}

/// The voltage across the membrane.
template <class V, int n>
HILLOCK_FUNCTION V voltage_of(const V (&x)[n], const V& has) {
  return layer_arithmetic::fused<V>(-has, x[1], x[0]);
}

}  // namespace hillock::solver::inline HILLOCK_ISA

#undef HILLOCK_WRITTEN_OUT
