#pragma once
// The loops behind solver/lanes/layer_sweep.hpp, for one instruction set.

#include "core/simd/pack.hpp"
#include "solver/lanes/layer_sweep.hpp"
#include "solver/layer_block.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace layer_sweep {

template <class V, int n>
class Sweep {
 public:
  explicit Sweep(const LayerRows& rows) : rows_(rows) {}

  void solve() const {
    go_up();
    for (std::size_t i = 0; i < rows_.count; ++i) go_down(i);
  }

 private:
  static constexpr std::size_t lanes = lanes_of<V>;
  using Block = LayerBlock<V, n>;
  using Eliminated = EliminatedRow<V, n>;

  /// A row's numbers of `what`, a Block or an Eliminated, which is made of packs alone.
  template <class What>
  void store_all(const What& what, std::size_t i) const {
    static_assert(sizeof(What) <= numbers_of_block(n - 1) * sizeof(V));
    double* const to = rows_.blocks + i * numbers_of_block(n - 1) * lanes;
    const V* const packs = reinterpret_cast<const V*>(&what);
#pragma GCC unroll 12
    for (std::size_t k = 0; k < sizeof(What) / sizeof(V); ++k) store<V>(to + k * lanes, packs[k]);
  }
  template <class What>
  What loaded(std::size_t i) const {
    const double* const from = rows_.blocks + i * numbers_of_block(n - 1) * lanes;
    What what;
    V* const packs = reinterpret_cast<V*>(&what);
#pragma GCC unroll 12
    for (std::size_t k = 0; k < sizeof(What) / sizeof(V); ++k) packs[k] = load<V>(from + k * lanes);
    return what;
  }

  Block filled(std::size_t i) const {
    const std::size_t at = i * lanes;
    const auto here = [&](const double* numbers) { return load<V>(numbers + at); };
    LayersAtRow<V, n> row{here(rows_.has), here(rows_.inside), {}, {}, {}};
    LayerRowOfStep<V, n> step{here(rows_.membrane_uS),  here(rows_.x),
                              here(rows_.electrode_uS), here(rows_.electrode_nA),
                              here(rows_.ground),       {}};
#pragma GCC unroll 2
    for (std::size_t l = 0; l < n - 1; ++l) {
      const LayerRows::Layer& layer = rows_.of_layer[l];
      row.diagonal[l] = here(layer.diagonal);
      row.across[l] = here(layer.across);
      row.charge[l] = here(layer.charge);
      step.potential[l] = here(layer.potential);
    }
    return layer_block<V, n>(row, step);
  }

  void find_along(std::size_t i, V (&along)[n]) const {
    along[0] = load<V>(rows_.coupling + i * lanes);
#pragma GCC unroll 2
    for (std::size_t l = 0; l < n - 1; ++l)
      along[l + 1] = load<V>(rows_.of_layer[l].along + i * lanes);
  }

  /// Rows are filled just before others join them; along a chain a block stays in registers.
  void go_up() const {
    std::size_t filled_from = rows_.count;
    const auto fill_from = [&](std::size_t row) {
      while (filled_from > row) {
        --filled_from;
        store_all(filled(filled_from), filled_from);
      }
    };
    Block own;
    bool has_own = false;
    for (std::size_t i = rows_.count; i-- > rows_.roots;) {
      if (!has_own) {
        fill_from(i);
        own = loaded<Block>(i);
      }
      const auto above = static_cast<std::size_t>(rows_.parent[i]);
      V along[n];
      find_along(i, along);
      has_own = above + 1 == i && filled_from == i && above >= rows_.roots;
      if (has_own) {
        filled_from = above;
        Block parent = filled(above);
        const Eliminated row(own, along);
        row.join(parent, along);
        store_all(row, i);
        own = parent;
      } else {
        fill_from(above);
        const Eliminated row(own, along);
        store_all(row, i);
        Block parent = loaded<Block>(above);
        row.join(parent, along);
        store_all(parent, above);
      }
    }
    fill_from(0);
  }

  void go_down(std::size_t i) const {
    V x[n];
    if (i < rows_.roots) {
      solve_root<V, n>(loaded<Block>(i), x);
    } else {
      const auto above = static_cast<std::size_t>(rows_.parent[i]);
      const double* const its = rows_.blocks + above * numbers_of_block(n - 1) * lanes;
#pragma GCC unroll 3
      for (std::size_t j = 0; j < n; ++j) x[j] = load<V>(its + j * lanes);
      loaded<Eliminated>(i).substitute(x);
    }
    double* const own = rows_.blocks + i * numbers_of_block(n - 1) * lanes;
#pragma GCC unroll 3
    for (std::size_t j = 0; j < n; ++j) store<V>(own + j * lanes, x[j]);
    const V has = load<V>(rows_.has + i * lanes);
#pragma GCC unroll 2
    for (std::size_t l = 0; l < n - 1; ++l)
      store<V>(rows_.of_layer[l].solution + i * lanes, x[l + 1] * has);
    store<V>(rows_.x + i * lanes, voltage_of<V, n>(x, has));
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
