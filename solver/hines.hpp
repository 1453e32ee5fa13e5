#pragma once
// Hines elimination on one tree: the reference every other solver answers to. Knows no neuron.

#include <cstddef>
#include <span>

#include "core/simd/pack.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

/// A tree's structure: parent[0] is -1, and a parent precedes its children.
struct Tree {
  std::span<const int> parent;  ///< [n]
  std::span<const double>
      coupling;  ///< [n] to the parent; the matrix holds its negative. [0] unused
};

/// Solves, in place, the symmetric system
///   diagonal[i]·x[i] - coupling[i]·x[parent[i]] - Σ_children coupling[c]·x[c] = rhs[i].
/// V: double, or a pack of doubles whose lanes are systems with one tree and own values.
/// diagonal: [n][lane] in; destroyed.   rhs: [n][lane] in, the solution out.
/// A pivot of 0 gives values that are not finite; nothing is thrown here, callers check the root.
/// Cost O(n), one division a node. Deterministic; lanes do not affect each other.
/// Source: Hines 1984, Int. J. Biomed. Comput. 15:69.
template <class V>
void hines_solve(const Tree& tree, double* diagonal, double* rhs) {
  constexpr std::size_t lanes = lanes_of<V>;
  const std::size_t n = tree.parent.size();
  for (std::size_t i = n; i-- > 1;) {
    const std::size_t p = static_cast<std::size_t>(tree.parent[i]) * lanes;
    const double a = tree.coupling[i];
    const V reciprocal = 1.0 / load<V>(diagonal + i * lanes);
    store(diagonal + i * lanes, reciprocal);
    const V factor = a * reciprocal;
    store<V>(diagonal + p, load<V>(diagonal + p) - factor * a);
    store<V>(rhs + p, load<V>(rhs + p) + factor * load<V>(rhs + i * lanes));
  }
  store<V>(rhs, load<V>(rhs) / load<V>(diagonal));
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t p = static_cast<std::size_t>(tree.parent[i]) * lanes;
    const V from_parent = tree.coupling[i] * load<V>(rhs + p);
    store<V>(rhs + i * lanes,
             (load<V>(rhs + i * lanes) + from_parent) * load<V>(diagonal + i * lanes));
  }
}

}  // namespace hillock::solver::inline HILLOCK_ISA
