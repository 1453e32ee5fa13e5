#pragma once
// Which entries of a network's lists concern each population, and each kind of cell, found once for
// all of them.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "models/network.hpp"

namespace hillock::simulator {

/// What may be at branches' ends, where a cell has nodes without area.
struct EndsInUse {
  std::vector<const models::Locations*> at;
  std::set<std::pair<std::uint32_t, bool>> listed;  ///< by rows of lists: a branch, its far end
};

/// What of a network belongs to each population: numbers in the network's lists, rising.
struct OfPopulations {
  using Numbers = std::vector<std::vector<std::uint32_t>>;

  explicit OfPopulations(const models::Network& network);

  std::vector<CellId> first_cells;       ///< [population]
  Numbers projections;                   ///< [population] onto its cells, and gap junctions that
                                         ///< have an end on them
  Numbers points;                        ///< [population] lists of points
  Numbers stimuli;                       ///< [population]
  Numbers recordings;                    ///< [population] of variables
  std::vector<std::uint32_t> report_of;  ///< [recording] of a variable: its report
  std::vector<EndsInUse> ends;           ///< [cell] of all populations of such cells
};

}  // namespace hillock::simulator
