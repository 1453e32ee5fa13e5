#pragma once
// The loops behind solver/lanes/layer_sweep.hpp, for one instruction set.

#include "core/simd/pack.hpp"
#include "solver/lanes/layer_sweep.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace layer_sweep {

/// A symmetric block of n unknowns, its right-hand side, and what of the parent's solution joins
/// its own.
template <class V, int n>
struct Block {
  static constexpr std::size_t lanes = lanes_of<V>;
  static constexpr int half = n * (n + 1) / 2;
  double* at;

  double* lower(int j, int k) const { return number(j * (j + 1) / 2 + k); }
  double* rhs(int j) const { return number(half + j); }
  double* share(int j, int k) const { return number(half + n + j * n + k); }

 private:
  double* number(int i) const { return at + static_cast<std::size_t>(i) * lanes; }
};

/// L D L' of a block.
template <class V, int n>
struct Factors {
  V below[n][n], reciprocal[n];

  explicit Factors(const Block<V, n>& block) {
#pragma GCC unroll 3
    for (int j = 0; j < n; ++j) {
      V scaled[n];  // of row j, times D
#pragma GCC unroll 3
      for (int k = 0; k < j; ++k) {
        scaled[k] = load<V>(block.lower(j, k));
#pragma GCC unroll 3
        for (int i = 0; i < k; ++i) scaled[k] = fma(-below[k][i], scaled[i], scaled[k]);
      }
      V pivot = load<V>(block.lower(j, j));
#pragma GCC unroll 3
      for (int k = 0; k < j; ++k) {
        below[j][k] = scaled[k] * reciprocal[k];
        pivot = fma(-below[j][k], scaled[k], pivot);
      }
      reciprocal[j] = 1.0 / pivot;
    }
  }

  /// x: the right-hand side, then the solution.
  void solve(V (&x)[n]) const {
#pragma GCC unroll 3
    for (int j = 1; j < n; ++j)
#pragma GCC unroll 3
      for (int k = 0; k < j; ++k) x[j] = fma(-below[j][k], x[k], x[j]);
#pragma GCC unroll 3
    for (int j = n - 1; j >= 0; --j) {
      x[j] = x[j] * reciprocal[j];
#pragma GCC unroll 3
      for (int k = j + 1; k < n; ++k) x[j] = fma(-below[k][j], x[k], x[j]);
    }
  }
};

template <class V, int n>
class Sweep {
 public:
  explicit Sweep(const LayerRows& rows) : rows_(rows) {}

  void solve() const {
    for (std::size_t i = 0; i < rows_.count; ++i) fill(i);
    for (std::size_t i = rows_.count; i-- > rows_.roots;) go_up(i);
    for (std::size_t i = 0; i < rows_.count; ++i) go_down(i);
  }

 private:
  static constexpr std::size_t lanes = lanes_of<V>;

  Block<V, n> block(std::size_t i) const {
    return {rows_.blocks + i * numbers_of_block(n - 1) * lanes};
  }

  void fill(std::size_t i) const {
    const std::size_t at = i * lanes;
    const Block<V, n> own = block(i);
    const V has = load<V>(rows_.has + at);
    const V membrane = load<V>(rows_.membrane_uS + at), outward = load<V>(rows_.x + at);
    const V through = membrane * has;
    store<V>(own.lower(0, 0), membrane + load<V>(rows_.electrode_uS + at) +
                                  load<V>(rows_.inside + at));
    store<V>(own.lower(1, 0), -through);
    store<V>(own.lower(1, 1), through + load<V>(rows_.of_layer[0].diagonal + at));
    store<V>(own.rhs(0), outward + load<V>(rows_.electrode_nA + at));
    V rhs = -(outward * has);
#pragma GCC unroll 2
    for (int l = 0; l < n - 1; ++l) {
      const LayerRows::Layer& layer = rows_.of_layer[static_cast<std::size_t>(l)];
      V difference = load<V>(layer.potential + at);
      if (l + 2 < n)
        difference = difference -
                     load<V>(rows_.of_layer[static_cast<std::size_t>(l) + 1].potential + at);
      const V charge = load<V>(layer.charge + at) * difference;
      rhs = rhs + charge;
      if (l + 2 == n) rhs = rhs + load<V>(rows_.ground + at);
      store<V>(own.rhs(l + 1), rhs);
      if (l + 2 == n) break;
      rhs = -charge;
      store<V>(own.lower(l + 2, 0), V{});
      store<V>(own.lower(l + 2, l + 1), -load<V>(layer.across + at));
      store<V>(own.lower(l + 2, l + 2),
               load<V>(rows_.of_layer[static_cast<std::size_t>(l) + 1].diagonal + at));
    }
  }

  void couplings(std::size_t at, V (&of)[n]) const {
    of[0] = load<V>(rows_.coupling + at);
#pragma GCC unroll 2
    for (int l = 1; l < n; ++l)
      of[l] = load<V>(rows_.of_layer[static_cast<std::size_t>(l) - 1].along + at);
  }

  /// Takes a row out of its parent's.
  void go_up(std::size_t i) const {
    const Block<V, n> own = block(i), above = block(static_cast<std::size_t>(rows_.parent[i]));
    const Factors<V, n> factors(own);
    V along[n];
    couplings(i * lanes, along);
#pragma GCC unroll 3
    for (int k = 0; k < n; ++k) {
      V column[n]{};
      column[k] = along[k];
      factors.solve(column);
#pragma GCC unroll 3
      for (int j = 0; j < n; ++j) {
        store<V>(own.share(j, k), column[j]);
        if (j >= k)
          store<V>(above.lower(j, k), fma(-along[j], column[j], load<V>(above.lower(j, k))));
      }
    }
    V x[n];
#pragma GCC unroll 3
    for (int j = 0; j < n; ++j) x[j] = load<V>(own.rhs(j));
    factors.solve(x);
#pragma GCC unroll 3
    for (int j = 0; j < n; ++j) {
      store<V>(own.rhs(j), x[j]);
      store<V>(above.rhs(j), fma(along[j], x[j], load<V>(above.rhs(j))));
    }
  }

  void go_down(std::size_t i) const {
    const Block<V, n> own = block(i);
    V x[n];
#pragma GCC unroll 3
    for (int j = 0; j < n; ++j) x[j] = load<V>(own.rhs(j));
    if (i < rows_.roots) {
      Factors<V, n>(own).solve(x);
    } else {
      const Block<V, n> above = block(static_cast<std::size_t>(rows_.parent[i]));
#pragma GCC unroll 3
      for (int j = 0; j < n; ++j)
#pragma GCC unroll 3
        for (int k = 0; k < n; ++k)
          x[j] = fma(load<V>(own.share(j, k)), load<V>(above.rhs(k)), x[j]);
    }
    const std::size_t at = i * lanes;
    const V has = load<V>(rows_.has + at);
#pragma GCC unroll 3
    for (int j = 0; j < n; ++j) store<V>(own.rhs(j), x[j]);
#pragma GCC unroll 2
    for (int l = 1; l < n; ++l)
      store<V>(rows_.of_layer[static_cast<std::size_t>(l) - 1].solution + at, x[l] * has);
    store<V>(rows_.x + at, fma(-has, x[1], x[0]));
  }

  const LayerRows rows_;  // a copy: no store can change it
};

template <class V>
HILLOCK_KERNEL void solve(const LayerRows& rows) {
  if (rows.layers == 1) return Sweep<V, 2>(rows).solve();
  Sweep<V, 3>(rows).solve();
}

}  // namespace layer_sweep

}  // namespace hillock::solver::inline HILLOCK_ISA
