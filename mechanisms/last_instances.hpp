#pragma once
// The last instances of a group of one lane, which fill no register. What is done with them is
// compiled once for all mechanisms of a unit.

#include <cstddef>

#include "mechanisms/instance_spots.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// A mechanism's loop, as many instances at a time as fill a register, and its numbers of columns.
struct RegisterLoop {
  void (*turn)(const InstanceBlock&, unsigned asked, const KernelTime& end, const KernelTime& now,
               const double* v, double* diagonal, double* rhs);
  std::size_t width, states, others;
  std::size_t kept;  ///< of the others, how many never change
  const Coupling* couplings;
  std::size_t coupling_count;
};

/// Room for what instances of a register have: columns, and what couplings share.
template <class E, int width>
struct RegisterRoom {
  double columns[(E::info.count() + 1) * width];
  double values[(E::info.coupling_count + 1) * width];
  double* shared[E::info.coupling_count + 1];
};

/// Turns the instances from `first` on in a block of theirs that fills a register, whose nodes are
/// 0, 1, …, and takes back what changes. The last of them stands for those that are missing. A loop
/// over single instances would take as long to compile again. Lanes do not see each other.
inline __attribute__((noinline)) void turn_last(const RegisterLoop& loop, double* columns,
                                                double* values, double** shared,
                                                const InstanceBlock& block, std::size_t first,
                                                unsigned asked, const KernelTime& end,
                                                const KernelTime& now, const double* v,
                                                double* diagonal, double* rhs) {
  constexpr std::size_t lanes = register_bytes / sizeof(double), most = 2 * lanes;
  using Numbers = PackOf<lanes>::type;
  const std::size_t width = loop.width, used = block.last() - first;
  const int* const rows = block.nodes + first;
  const auto fill = [&](double* to, double number) {
    for (std::size_t l = 0; l < width; l += lanes) store(to + l, Numbers{} + number);
  };
  // What an array has at their rows, and what it gets back.
  const auto take_rows = [&](const double* from, double* to) {
    fill(to, from[rows[used - 1]]);
    for (std::size_t l = 0; l + 1 < used; ++l) to[l] = from[rows[l]];
  };
  const auto return_rows = [&](const double* from, double* to) {
    for (std::size_t l = 0; l < used; ++l) to[rows[l]] = from[l];
  };
  // What columns have, and what they get back.
  const auto take = [&](std::size_t count, const double* from, double* to) {
    for (std::size_t c = 0; c < count; ++c, from += block.count, to += width) {
      fill(to, from[first + used - 1]);
      for (std::size_t l = 0; l + 1 < used; ++l) to[l] = from[first + l];
    }
  };
  const auto give_back = [&](std::size_t count, const double* from, double* to) {
    for (std::size_t c = 0; c < count; ++c, from += width, to += block.count)
      for (std::size_t l = 0; l < used; ++l) to[first + l] = from[l];
  };

  double* const other_columns = columns + loop.states * width;
  double* const others_there = block.columns + loop.states * block.count;
  take(loop.states, block.columns, columns);
  if (block.uniform)
    for (std::size_t c = 0; c < loop.others; ++c) other_columns[c] = others_there[c];
  else
    take(loop.others, others_there, other_columns);

  static constexpr int nodes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static_assert(most <= 16);
  double areas[most], potentials[most], diagonals[most], sides[most];
  if (block.area_factors) take(1, block.area_factors, areas);
  take_rows(v, potentials);
  if (diagonal) take_rows(diagonal, diagonals);
  if (rhs) take_rows(rhs, sides);
  // Where two couplings are one array, so they are here.
  if (block.shared)
    for (std::size_t k = 0; k < loop.coupling_count; ++k) {
      double* const own = values + k * width;
      shared[k] = block.shared[k] ? own : nullptr;
      for (std::size_t before = 0; before < k; ++before)
        if (block.shared[before] == block.shared[k]) shared[k] = shared[before];
      if (shared[k] == own) take_rows(block.shared[k], own);
    }

  InstanceBlock own = block;
  own.count = width;
  own.first = 0;
  own.end = width;
  own.columns = columns;
  own.nodes = nodes;
  own.area_factors = block.area_factors ? areas : nullptr;
  own.shared = block.shared ? shared : nullptr;
  loop.turn(own, asked, end, now, potentials, diagonal ? diagonals : nullptr,
            rhs ? sides : nullptr);

  give_back(loop.states, columns, block.columns);
  if (!block.uniform)
    give_back(loop.others - loop.kept, other_columns + loop.kept * width,
              others_there + loop.kept * block.count);
  if (diagonal) return_rows(diagonals, diagonal);
  if (rhs) return_rows(sides, rhs);
  if (block.shared)
    for (std::size_t k = 0; k < loop.coupling_count; ++k)
      if (shared[k] && loop.couplings[k].writes) return_rows(shared[k], block.shared[k]);
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
