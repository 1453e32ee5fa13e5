#pragma once
// What is drawn for the connections of one projection: weights, delays, places, probabilities.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/random/random.hpp"
#include "models/network.hpp"
#include "network/drawn_values.hpp"
#include "network/placement.hpp"
#include "network/runner.hpp"

namespace hillock::network {

/// One connection of a projection. Cells are counted within their populations.
struct Connection {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint32_t k = 0;  ///< counts the connections of one (source, target) pair
  double weight = 0;    ///< in the synapse's weight unit
  double delay_ms = 0;
};

/// Several threads may ask at once.
class ConnectionDraws {
 public:
  /// For a few pairs: where cells lie is found when it is asked for.
  ConnectionDraws(const models::Network& network, std::size_t projection);
  /// For the connections onto some cells of the targets' population: where it matters, the places
  /// of these and of all cells of the sources' population are kept, 24 bytes each.
  ConnectionDraws(const models::Network& network, std::size_t projection, const CellSet& targets,
                  const Runner& run);

  std::size_t number() const { return number_; }
  std::uint64_t seed() const { return seed_; }
  bool recurrent() const { return recurrent_; }
  /// Whether it matters where cells lie.
  bool uses_positions() const { return uses_positions_; }
  /// The places of all cells of the sources' population along one axis, um, where they are kept.
  std::span<const double> source_um(std::size_t axis) const { return source_um_[axis]; }
  /// Of one of those targets.
  double target_um(std::size_t axis, std::uint64_t cell) const {
    return recurrent_ ? source_um_[axis][cell] : target_um_[axis][targets_.before(cell)];
  }
  /// The weight and delay of the k-th connection of a pair. Throws InvalidModel when one of them is
  /// not finite, or the delay is under dt.
  Connection connection(std::uint64_t source, std::uint64_t target, std::uint32_t k) const {
    return draw({source, target, k}, {}, {});
  }
  /// Those of the connections onto one target from some sources, [connection]. k: empty where it is
  /// 0 for all. Throws as connection().
  void values(std::uint64_t target, std::span<const std::uint32_t> sources,
              std::span<const std::uint32_t> k, std::vector<double>& weights,
              std::vector<double>& delays_ms) const;
  /// The same of a row of a list, which may have its own. row: among those that are here.
  Connection of_row(std::size_t row, std::uint64_t source, std::uint64_t target,
                    std::uint32_t k) const;
  /// The conductance of a gap junction that has one. Throws InvalidModel when it is not finite, or
  /// negative.
  double conductance_uS(const Connection& connection) const;
  /// What the connection's arguments behind the weight begin with. row: of a list whose rows may
  /// have their own. Throws InvalidModel.
  void arguments(const Connection& connection, std::optional<std::size_t> row,
                 std::vector<double>& values) const;
  /// Of pairwise_bernoulli. Throws InvalidModel when it lies outside 0 to 1.
  double probability(std::uint64_t source, std::uint64_t target) const;
  /// Its r.
  double pair_r(std::uint64_t source, std::uint64_t target) const;
  /// Whether all connections have the weight and the delay of one.
  bool are_alike() const;
  /// Whether the rule passes over a pair: a cell and itself.
  bool forbids(std::uint64_t source, std::uint64_t target) const;
  /// The stream that places a connection's synapse on its target.
  RandomStream location_stream(const Connection& connection) const;
  /// The same for a gap junction's end on its source.
  RandomStream peer_location_stream(const Connection& connection) const;

 private:
  Connection draw(Connection c, std::optional<double> weight, std::optional<double> delay_ms) const;
  void check_values(std::uint64_t target, std::span<const std::uint32_t> sources,
                    std::span<const double> weights, std::span<const double> delays_ms) const;
  void check_delay(const Connection& connection) const;
  std::string ends(std::uint64_t source, std::uint64_t target) const;
  /// distance, x, y and z from source to target; 0 where nobody asks.
  Bindings displacement(std::uint64_t source, std::uint64_t target) const;
  RandomKey key_of(const Connection& connection) const;

  const models::Network& network_;
  const models::Projection& projection_;
  std::size_t number_;
  std::uint64_t seed_;
  bool recurrent_;
  bool uses_positions_;
  double least_delay_ms_;
  DrawnValues drawn_;
  CellSet targets_;
  bool keeps_positions_ = false;
  /// [axis][cell of the population, of targets of another population place in targets_]
  std::array<std::vector<double>, 3> source_um_, target_um_;
};

}  // namespace hillock::network
