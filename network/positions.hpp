#pragma once
// Where the cells of a population lie, and how they are turned.

#include <array>
#include <vector>

#include "core/ids.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "network/runner.hpp"

namespace hillock::network {

/// Where some cells of a population lie, um. [axis][place among them]
std::array<std::vector<double>, 3> positions(const models::Network& network,
                                             PopulationId population, const CellSet& cells,
                                             const Runner& run = one_by_one);

/// Where one of them lies, um.
std::array<double, 3> position_of(const models::Network& network, PopulationId population,
                                  std::uint64_t cell);

/// How a cell of a population is turned: [row][column], to be multiplied with a place on it. The
/// same bits on every machine.
using Rotation = std::array<std::array<double, 3>, 3>;
Rotation rotation_of(const models::Network& network, PopulationId population, std::uint64_t cell);

/// Where a cell's points are: it is turned about the middle of its soma, which stands at the cell's
/// position or, where the model gives none, where the cell's points have it.
class CellPlace {
 public:
  CellPlace(const models::Network& network, PopulationId population, std::uint64_t cell,
            const std::array<double, 3>& soma_um);

  std::array<double, 3> of(const std::array<double, 3>& point_um) const;

 private:
  Rotation rotation_;
  std::array<double, 3> soma_um_, at_um_;
};

}  // namespace hillock::network
