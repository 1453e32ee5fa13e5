#pragma once
// Networks that run beside one another, one a rank, each described by its rank alone: cells of one
// stand for cells of the others, and numbers that all know say which for which. So the parts of a
// network that lives in several processes (a session of NEURON on several ranks) need not be told
// to all of them.

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/ids.hpp"
#include "network/gap_exchange.hpp"
#include "network/placement.hpp"
#include "network/spikes.hpp"

namespace hillock::network {

/// What a rank's network and the others know of each other.
struct Outside {
  /// What others know a cell's spikes by.
  struct Known {
    std::uint64_t number = 0;
    double later_ms = 0;  ///< they have its spikes so much later than this network
  };

  PopulationId elsewhere;  ///< its cells stand for others', and are not simulated here
  std::unordered_map<std::uint64_t, Known> leaving;  ///< [CellId's value] of cells here
  std::unordered_map<std::uint64_t, CellId> coming;  ///< [number] the cell elsewhere
  /// [CellId's value] of cells elsewhere at an end of gap junctions. What leaves for one comes to
  /// its rank from the one that stands there for this rank's cell and has the same number.
  std::unordered_map<std::uint64_t, GapPeer> gap_peers;
};

/// One rank alone has all cells, but those elsewhere, which a second one seems to have.
class BesideOthers final : public Placement {
 public:
  BesideOthers(const models::Network& network, PopulationId elsewhere)
      : Placement(network, models::PlacementKind::blocks, 0, 2), elsewhere_(elsewhere) {}
  using Placement::cells_of;
  CellSet cells_of(PopulationId population, int rank) const override;
  int rank_of(PopulationId population, std::uint64_t) const override {
    return population == elsewhere_ ? 1 : 0;
  }

 private:
  PopulationId elsewhere_;
};

/// An exchange that other ranks' spikes come by as those of cells elsewhere, all of them, beside
/// this rank's own. carries: between ranks, numbers in the place of cells. outside: outlives it.
std::unique_ptr<Exchange> make_outside_exchange(std::unique_ptr<Exchange> carries,
                                                const Outside& outside);

}  // namespace hillock::network
