#pragma once
// Membrane currents of many samples times a map: the potentials of a device's cells at contacts,
// summed exactly (core/simd/exact_sum.hpp). Plain structs of pointers, filled by the host.

#include "core/simd/exact_sum.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator::on_device {

/// A cell's columns among a sample's currents, and its map (solver::place_in_map).
struct MappedCell {
  unsigned long long first_column, map;
  unsigned columns;
};

struct PotentialWork {
  const MappedCell* cells;
  unsigned cell_count;
  unsigned blocks;  ///< of contacts
  const double* maps;
  const double* currents;  ///< [sample][row_length] nA
  unsigned long long row_length;
  unsigned samples;
  double* sums;  ///< [sample], as solver::place_in_sums; all 0 before
};

}  // namespace hillock::simulator::on_device
