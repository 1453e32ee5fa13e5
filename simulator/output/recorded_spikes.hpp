#pragma once
// Which spikes of a network are recorded.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/report.hpp"
#include "network/spikes.hpp"

namespace hillock::simulator {

class RecordedSpikes {
 public:
  explicit RecordedSpikes(const models::Network& network);

  /// Those of which spikes are recorded, by their names in the output, in the order of their first
  /// recording.
  const std::vector<std::string>& populations() const { return populations_; }
  /// [population] what is recorded of some spikes, each once, in their order; nodes are those of
  /// the output. The network must be as it was.
  std::vector<std::vector<models::RecordedSpike>> by_population(
      std::span<const network::CellSpike> spikes);

 private:
  /// Cells of the network, numbered as there.
  struct Cells {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t population = 0;          ///< index in populations_
    std::uint64_t first = 0;               ///< of the network's population that they are of
    const std::uint64_t* nodes = nullptr;  ///< [cell of that]; null: they are counted
  };

  std::uint32_t cells_with(std::uint64_t cell) const;

  std::vector<std::string> populations_;
  std::vector<Cells> cells_;          ///< rising; no two overlap
  std::vector<std::uint32_t> found_;  ///< [spike] in which of cells_, or how many there are
};

}  // namespace hillock::simulator
