#pragma once
// What the cells of a model cost a run, told beforehand, so that ranks get shares alike.

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"

namespace hillock::simulator {

/// About what a step of each cell takes, in picoseconds: of compartments, mechanisms, synapses and
/// the events they are expected to get (docs/scaling.md has the table). Of cells that differ, the
/// mean of a few. Time and memory grow with populations and projections alone, and with the cells
/// of a list. The same on every rank. Throws InvalidModel.
network::CellCosts cell_costs(const models::Network& network,
                              const mechanisms::Registry& mechanisms);

/// The cells of every rank, as the model's run.placement says. Throws InvalidModel.
network::Placement place_cells(const models::Network& network,
                               const mechanisms::Registry& mechanisms, int rank, int ranks);

/// So many cells of a population that stand for all: one where they are alike, and otherwise at
/// most `most`, as far apart as they can be.
network::CellSet sample_of(const models::Network& network, PopulationId population,
                           std::uint64_t most);

}  // namespace hillock::simulator
