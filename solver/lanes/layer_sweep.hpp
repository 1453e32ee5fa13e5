#pragma once
// One implicit step of cells that have extracellular layers (solver/cable/extracellular.hpp), one a
// lane, by the blocks of solver/layer_block.hpp. The loops are in layer_sweep_loops.hpp.

#include <array>
#include <cstddef>

namespace hillock::solver {

/// At most so many layers.
inline constexpr std::size_t most_layers = 2;

/// Numbers that a row takes while it is solved: its block, then what is left of it when it is
/// eliminated.
constexpr std::size_t numbers_of_block(std::size_t layers) {
  const std::size_t unknowns = layers + 1;
  return unknowns * unknowns + unknowns;
}

/// Everything is [row][lane] unless said otherwise, uS, mV and nA.
struct LayerRows {
  std::size_t count = 0;
  std::size_t roots = 1;  ///< trees, whose roots are the first rows
  std::size_t layers = 1;
  const int* parent = nullptr;  ///< [row], a parent precedes its children
  const double* coupling = nullptr;
  const double* has = nullptr;     ///< 1 where the row has layers, 0 elsewhere
  const double* inside = nullptr;  ///< the sum of a row's couplings
  struct Layer {
    const double* along = nullptr;     ///< to the parent
    const double* diagonal = nullptr;  ///< what never changes of it; 1 where there is no layer
    const double* across = nullptr;    ///< outwards, with what its capacity makes of a step
    const double* charge = nullptr;    ///< that part of it
    double* potential = nullptr;       ///< before the step
    double* solution = nullptr;
  };
  std::array<Layer, most_layers> of_layer;  ///< from the membrane outwards
  const double* ground = nullptr;           ///< what flows into the outermost layer from elsewhere
  const double* membrane_uS = nullptr;
  const double* electrode_uS = nullptr;  ///< from ground to the inside
  const double* electrode_nA = nullptr;
  double* x = nullptr;       ///< in: what the membrane gives; out: the voltage across it, u - e[0]
  double* blocks = nullptr;  ///< [row][numbers_of_block][lane], overwritten
};

}  // namespace hillock::solver
