#pragma once
// The sources of a cell's membrane currents where they are in the network.

#include <cstdint>
#include <span>
#include <vector>

#include "models/network.hpp"
#include "solver/potential/current_sources.hpp"

namespace hillock::simulator {

/// Of cells of a population that have a cable, one after the other.
class PlacedSources {
 public:
  /// network: must outlive this, and so must what cells were cut into.
  PlacedSources(const models::Network& network, PopulationId population)
      : network_(network), population_(population) {}

  /// Of some nodes of a cell. index: the cell's in its population; cut: what its shape was cut
  /// into.
  std::vector<solver::CurrentSource> of(std::uint64_t index, const solver::Template& cut,
                                        std::span<const NodeId> nodes);

 private:
  const models::Network& network_;
  PopulationId population_;
  // Of the last cell, before it was placed: others of one shape have the same.
  const solver::Template* cut_ = nullptr;
  std::vector<NodeId> nodes_;
  std::vector<solver::CurrentSource> sources_;
  solver::Vector3 middle_um_{};
};

/// The same of all compartments of a cell, in the order of its branches, cut here. Throws
/// InvalidModel.
std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population,
                                                       std::uint64_t index);

}  // namespace hillock::simulator
