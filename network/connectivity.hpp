#pragma once
// Turns connection rules into connections, target by target, of a rank's own targets. Every draw is
// keyed by what it is for, so that the result does not depend on the order in which, or the thread
// or rank on which, they are made.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/random/random.hpp"
#include "models/network.hpp"
#include "network/cell_sample.hpp"
#include "network/connection_draws.hpp"
#include "network/pair_blocks.hpp"
#include "network/pairs_by_target.hpp"
#include "network/placement.hpp"

namespace hillock::network {

/// Connections onto one cell, ordered by (source, k).
struct TargetConnections {
  std::uint64_t target = 0;
  std::span<const std::uint32_t> sources;
  std::span<const std::uint32_t> k;  ///< empty: 0 for all
  std::span<const double> weights, delays_ms;
  /// Of a list whose rows say where: the target's branch, and how far along it.
  std::span<const std::uint32_t> branches;
  std::span<const double> positions;
  std::span<const std::uint32_t> rows;  ///< of a list whose rows have arguments or points

  std::size_t size() const { return sources.size(); }
  Connection operator[](std::size_t i) const {
    return {sources[i], target, k.empty() ? 0 : k[i], weights[i], delays_ms[i]};
  }
};

/// The rule of one projection, for some of its targets. Several threads may ask it at once, each
/// with a scratch of its own.
class Connector {
 public:
  /// What one thread needs in between, for one connector.
  struct Scratch {
    std::vector<std::uint32_t> sources;  ///< of one target; of a list its rows
    std::vector<std::uint32_t> k;
    std::vector<double> weights, delays_ms;
    std::vector<std::uint32_t> branches;
    std::vector<double> positions;
    std::vector<std::uint32_t> rows;
    CellSample sample;
    std::optional<PairBlocks::Scratch> pairs;
  };

  /// own: of the targets' population; what lies outside the projection's slice does not matter.
  /// fixed_outdegree and list make the pairs onto own targets here, 4 to 8 bytes each, and go
  /// through all there are; fixed_total_number makes a count a target. Throws InvalidModel when a
  /// rule asks for more cells than there are.
  Connector(const models::Network& network, std::size_t projection, const CellSet& own,
            const Runner& run = one_by_one);
  /// All targets.
  Connector(const models::Network& network, std::size_t projection, const Runner& run = one_by_one);
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// The connections onto one own cell of the target slice. They stay until the scratch is used
  /// again. Throws InvalidModel when a drawn weight or delay is not finite, or a delay is under dt.
  TargetConnections connect(std::uint64_t target, Scratch& scratch) const;
  /// Appends the connections onto one own cell of the target slice, ordered by (source, k).
  /// Throws as the other.
  void connect(std::uint64_t target, Scratch& scratch, std::vector<Connection>& connections) const;

  /// The source of each of these connections. They stay until the scratch is used again.
  std::span<const std::uint32_t> sources(std::uint64_t target, Scratch& scratch) const;
  /// About how many connections some own cells have: no fewer, as a rule.
  double expected_connections(const CellSet& cells) const;
  /// Own cells of the target slice.
  const CellSet& targets() const { return targets_; }

  const models::Projection& projection() const { return projection_; }
  const ConnectionDraws& draws() const { return draws_; }

 private:
  void find_listed(std::uint64_t target, Scratch& scratch) const;
  void count_repetitions(Scratch& scratch) const;
  std::uint64_t source_of_row(std::uint32_t row) const;
  void find(std::uint64_t target, Scratch& scratch) const;
  void one_to_one(std::uint64_t target, std::vector<std::uint32_t>& sources) const;
  void all_to_all(std::uint64_t target, std::vector<std::uint32_t>& sources) const;
  void bernoulli(std::uint64_t target, Scratch& scratch) const;
  void bernoulli_constant(std::uint64_t target, double p,
                          std::vector<std::uint32_t>& sources) const;
  void draw_sources(std::uint64_t target, std::uint64_t number, Scratch& scratch) const;
  void check_number(const models::PopulationSlice& of, const char* what) const;
  void make_outdegree_pairs(const Runner& run);
  void count_total(const Runner& run);
  void sort_list(const Runner& run);
  RandomStream stream(std::uint64_t cell) const;
  bool multapses() const;
  const models::PopulationSlice& from() const { return projection_.from; }
  const models::PopulationSlice& to() const { return projection_.to; }

  const models::Network& network_;
  const models::Projection& projection_;
  CellSet targets_;
  ConnectionDraws draws_;
  std::optional<PairBlocks> pairs_asked_;  ///< of pairwise_bernoulli with an expression
  std::vector<std::uint32_t> counts_;      ///< of fixed_total_number, a target of targets_
  /// Of fixed_outdegree and list: pairs_[first_[t]] … pairs_[first_[t + 1] - 1] are the sources, or
  /// the rows of the list, onto targets_[t].
  std::vector<std::uint64_t> first_;
  std::unique_ptr<std::uint32_t[]> pairs_;
};

/// All connections of one projection, ordered by (target, source, k). Throws as Connector.
std::vector<Connection> connect(const models::Network& network, std::size_t projection);
/// Those onto some cells.
std::vector<Connection> connect(const models::Network& network, std::size_t projection,
                                const CellSet& own);

}  // namespace hillock::network
