#pragma once
// Which instances of a density mechanism are neighbours along the cable: for states that diffuse.

#include <span>
#include <vector>

#include "solver/diffusion.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {

/// The links of a mechanism that is on these nodes of a cell, rising: link i is that of nodes[i],
/// its instance is i and its row the node. Empty where no two are neighbours. Zero-area nodes pass
/// on what they cannot hold, to the compartment towards the root; what joins the root's 0 end is
/// the neighbour of the root's first compartment, as in NEURON.
std::vector<solver::DiffusionLink> diffusion_links(const solver::Template& cell,
                                                       std::span<const int> nodes);

}  // namespace hillock::simulator
