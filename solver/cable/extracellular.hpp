#pragma once
// Layers around a cell's membrane, as NEURON's `extracellular` has them: along them current flows
// beside the cable, across them to ground. docs/fields.md has the equations.

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/cable/compartments.hpp"

namespace hillock::solver {

/// Of nodes, where Template::slot_of() says. A zero-area node has what the compartment before it
/// has, and node 0 what the root's first one has, but for what needs an area.
struct Extracellular {
  std::vector<char> has;  ///< whether there are layers; elsewhere the outside is ground
  /// From the membrane outwards.
  struct Layer {
    std::vector<double> along_uS;        ///< to the parent; 0 where one of the two has no layers
    std::vector<double> across_uS;       ///< to the next layer, or from the outermost to ground
    std::vector<double> capacitance_nF;  ///< beside it
  };
  std::vector<Layer> layers;

  std::size_t bytes() const;
};

/// What lies around `cut`, which is `cell` in compartments; null where no region has layers. As in
/// NEURON, half a compartment's xraxial lies on either side of its middle, and compartments that
/// others join have none of theirs between them and these.
/// Throws InvalidModel where regions with different numbers of layers meet in the cell, or nothing
/// ties some part of a layer to ground.
std::shared_ptr<const Extracellular> extracellular_of(const Template& cut,
                                                      const models::CableCell& cell,
                                                      const CutFor& of);

}  // namespace hillock::solver
