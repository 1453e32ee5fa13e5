#include "network/positions.hpp"

#include <cmath>
#include <numbers>

#include "core/random/normal_pair.hpp"
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

namespace {

constexpr Rotation not_turned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Rotation about(std::size_t axis, double quarters) {
  const auto [sine, cosine] = sine_and_cosine(quarters);
  const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
  Rotation rotation = not_turned;
  rotation[next][next] = rotation[last][last] = cosine;
  rotation[next][last] = -sine;
  rotation[last][next] = sine;
  return rotation;
}

Rotation product(const Rotation& a, const Rotation& b) {
  Rotation result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[i][j] += a[i][k] * b[k][j];
  return result;
}

/// Of all rotations with like probability, by three uniform draws (Shoemake 1992).
Rotation any_rotation(RandomStream& draws) {
  const double u = draws.uniform();
  const auto [s1, c1] = sine_and_cosine(4 * draws.uniform());
  const auto [s2, c2] = sine_and_cosine(4 * draws.uniform());
  const double x = std::sqrt(1 - u) * s1, y = std::sqrt(1 - u) * c1, z = std::sqrt(u) * s2,
               w = std::sqrt(u) * c2;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

}  // namespace

Rotation rotation_of(const models::Network& network, PopulationId population, std::uint64_t cell) {
  using Kind = models::Rotations::Kind;
  const models::Rotations& of = network.populations[population.value].rotations;
  RandomStream draws(network.run.seed, Purpose::rotation, {population.value, cell, 0});
  switch (of.kind) {
    case Kind::none:
      break;
    case Kind::list: {
      const std::array<double, 3>& rad = of.angles_rad[of.angles_rad.size() == 1 ? 0 : cell];
      constexpr double quarters = 2 / std::numbers::pi;
      return product(about(0, rad[0] * quarters),
                     product(about(1, rad[1] * quarters), about(2, rad[2] * quarters)));
    }
    case Kind::about_an_axis:
      return about(static_cast<std::size_t>(of.axis), 4 * draws.uniform());
    case Kind::any:
      return any_rotation(draws);
  }
  return not_turned;
}

CellPlace::CellPlace(const models::Network& network, PopulationId population, std::uint64_t cell,
                     const std::array<double, 3>& soma_um)
    : rotation_(rotation_of(network, population, cell)), soma_um_(soma_um), at_um_(soma_um) {
  if (network.populations[population.value].positions.kind != models::Positions::Kind::none)
    at_um_ = position_of(network, population, cell);
}

std::array<double, 3> CellPlace::of(const std::array<double, 3>& point_um) const {
  std::array<double, 3> place = at_um_;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) place[i] += rotation_[i][j] * (point_um[j] - soma_um_[j]);
  return place;
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
