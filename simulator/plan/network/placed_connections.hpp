#pragma once
// The connections that a model makes, with the places of their synapses, for whoever looks at them:
// those of a run, draw for draw.

#include <cstdint>
#include <memory>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "simulator/plan/range/of_populations.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator {

/// Where on a cell something stands: the branch's number in the cell, how far along it.
struct CellPlaces {
  std::vector<std::uint32_t> branches;
  std::vector<double> positions;
};

/// Those of one projection, ordered by (target, source); a connection that leads to several places
/// stands there once for each. Cells are counted within their populations.
struct PlacedConnections {
  std::vector<std::uint64_t> sources, targets;
  std::vector<double> weights;    ///< in the synapse's weight unit; of gap junctions uS, or none
  std::vector<double> delays_ms;  ///< of gap junctions none
  CellPlaces on_target;           ///< of cells with a shape
  CellPlaces on_source;           ///< of gap junctions
};

/// Throws InvalidModel where a run would. of: the network's. activity: told of every connection.
PlacedConnections placed_connections(const models::Network& network,
                                     const mechanisms::Registry& mechanisms,
                                     std::shared_ptr<const OfPopulations> of,
                                     std::size_t projection, Activity& activity);

}  // namespace hillock::simulator
