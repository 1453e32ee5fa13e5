#include "network/positions.hpp"

#include "core/random/random.hpp"

namespace hillock::network {

std::array<double, 3> position_of(const models::Network& network, PopulationId population,
                                  std::uint64_t cell) {
  using Kind = models::Positions::Kind;
  const models::Positions& where = network.populations[population.value].positions;
  std::array<double, 3> position{};
  switch (where.kind) {
    case Kind::none:
      break;
    case Kind::uniform_box: {
      RandomStream draws(network.run.seed, Purpose::position, {population.value, cell, 0});
      for (std::size_t axis = 0; axis < 3; ++axis)
        position[axis] = where.size_um[axis] * draws.uniform();
      break;
    }
    case Kind::grid: {
      std::uint64_t rest = cell;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        position[axis] = static_cast<double>(rest % where.counts[axis]) * where.spacing_um[axis];
        rest /= where.counts[axis];
      }
      break;
    }
    case Kind::list:
      position = where.list_um[cell];
      break;
  }
  return position;
}

std::array<std::vector<double>, 3> positions(const models::Network& network,
                                             PopulationId population, const CellSet& cells,
                                             const Runner& run) {
  std::array<std::vector<double>, 3> all;
  for (std::vector<double>& axis : all) axis.resize(cells.size());
  const Pieces pieces(0, cells.size());
  run(pieces.count(), [&](std::size_t piece) {
    for (std::uint64_t i = pieces.begin(piece); i < pieces.end(piece); ++i) {
      const std::array<double, 3> position = position_of(network, population, cells[i]);
      for (std::size_t axis = 0; axis < 3; ++axis) all[axis][i] = position[axis];
    }
  });
  return all;
}

}  // namespace hillock::network
