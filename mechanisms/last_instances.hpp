#pragma once
// The last instances of a group of one lane, which fill no register.

#include <cstddef>

#include "mechanisms/instance_spots.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// `used` instances from `first` on, where `width` are wanted: the last of them stands for the
/// rest.
template <int width>
struct LastOnes {
  using Numbers = typename PackOf<width>::type;
  std::size_t first, used;

  // No parts of the loops that call them.

  /// What an array has at their rows, and what it gets back.
  __attribute__((noinline)) void take_rows(const int* rows, const double* from, double* to) const {
    store(to, Numbers{} + from[rows[first + used - 1]]);
    for (std::size_t l = 0; l + 1 < used; ++l) to[l] = from[rows[first + l]];
  }
  __attribute__((noinline)) void return_rows(const int* rows, const double* from,
                                             double* to) const {
    for (std::size_t l = 0; l < used; ++l) to[rows[first + l]] = from[l];
  }

  /// What `count` columns have, `stride` from one to the next, and what they get back.
  __attribute__((noinline)) void take(std::size_t count, std::size_t stride, const double* from,
                                      double* to) const {
    for (std::size_t c = 0; c < count; ++c, from += stride, to += width) {
      store(to, Numbers{} + from[first + used - 1]);
      for (std::size_t l = 0; l + 1 < used; ++l) to[l] = from[first + l];
    }
  }
  __attribute__((noinline)) void give_back(std::size_t count, std::size_t stride,
                                           const double* from, double* to) const {
    for (std::size_t c = 0; c < count; ++c, from += width, to += stride)
      for (std::size_t l = 0; l < used; ++l) to[first + l] = from[l];
  }
};

/// Calls body(block, v, diagonal, rhs) with a block of these instances alone, whose nodes are 0, 1,
/// …, and takes back what it changes: a loop over whole registers does for all, where one over
/// single instances would take as long to compile again. Lanes do not see each other.
template <class E, int width, class Body>
void with_last_instances(const InstanceBlock& block, std::size_t first, const double* v,
                         double* diagonal, double* rhs, const Body& body) {
  const LastOnes<width> last{first, block.last() - first};
  constexpr std::size_t states = E::info.states, others = E::info.first_state();
  constexpr std::size_t couplings = E::info.coupling_count;
  double columns[(states + others + 1) * width];
  double *const other_columns = columns + states * width, *const others_there =
                                                              block.columns + states * block.count;
  last.take(states, block.count, block.columns, columns);
  if (block.uniform)
    for (std::size_t c = 0; c < others; ++c) other_columns[c] = others_there[c];
  else
    last.take(others, block.count, others_there, other_columns);

  int nodes[width];
  for (int l = 0; l < width; ++l) nodes[l] = l;
  double areas[width], potentials[width], diagonals[width], sides[width];
  if (block.area_factors) last.take(1, 0, block.area_factors, areas);
  last.take_rows(block.nodes, v, potentials);
  if (diagonal) last.take_rows(block.nodes, diagonal, diagonals);
  if (rhs) last.take_rows(block.nodes, rhs, sides);
  // Where two couplings are one array, so they are here.
  double values[couplings + 1][width];
  double* shared[couplings + 1];
  if (block.shared)
    for (std::size_t k = 0; k < couplings; ++k) {
      shared[k] = block.shared[k] ? values[k] : nullptr;
      for (std::size_t before = 0; before < k; ++before)
        if (block.shared[before] == block.shared[k]) shared[k] = shared[before];
      if (shared[k] == values[k]) last.take_rows(block.nodes, block.shared[k], values[k]);
    }

  InstanceBlock own = block;
  own.count = width;
  own.first = 0;
  own.end = width;
  own.columns = columns;
  own.nodes = nodes;
  own.area_factors = block.area_factors ? areas : nullptr;
  own.shared = block.shared ? shared : nullptr;
  body(own, potentials, diagonal ? diagonals : nullptr, rhs ? sides : nullptr);

  last.give_back(states, block.count, columns, block.columns);
  constexpr std::size_t kept = E::info.changes_parameters ? 0 : E::info.first_assigned();
  if (!block.uniform)
    last.give_back(others - kept, block.count, other_columns + kept * width,
                   others_there + kept * block.count);
  if (diagonal) last.return_rows(block.nodes, diagonals, diagonal);
  if (rhs) last.return_rows(block.nodes, sides, rhs);
  if (block.shared)
    for (std::size_t k = 0; k < couplings; ++k)
      if (shared[k] && E::couplings[k].writes)
        last.return_rows(block.nodes, shared[k], block.shared[k]);
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
