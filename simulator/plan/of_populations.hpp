#pragma once
// Which entries of a network's lists concern each population, found once for all of them.

#include <cstdint>
#include <vector>

#include "models/network.hpp"

namespace hillock::simulator {

/// [population] numbers in the network's lists, rising.
struct OfPopulations {
  using Numbers = std::vector<std::vector<std::uint32_t>>;

  explicit OfPopulations(const models::Network& network);

  Numbers projections;  ///< onto its cells, and gap junctions that have an end on them
  Numbers stimuli;
  Numbers recordings;                    ///< of variables
  std::vector<std::uint32_t> report_of;  ///< [recording] of a variable: its report
};

}  // namespace hillock::simulator
