#pragma once
// What the connections of a projection would come to, told from the rule and one target cell.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator {

/// The gap junctions of a projection.
class ExpectedGaps {
 public:
  /// target, source: the first cell of each side as a range of its own, which is built on. Throws
  /// InvalidModel.
  ExpectedGaps(const models::Network& network, const mechanisms::Registry& mechanisms,
               std::size_t projection, RangePlan target, RangePlan source);
  /// Without junctions: nothing.
  ExpectedGaps() = default;

  double junctions() const { return junctions_; }
  /// What a rank takes that has these parts of the targets and of the sources, on so many ranges.
  ConnectionMemory memory(double targets, double sources, double ranges) const;

 private:
  const models::Projection* projection_ = nullptr;
  double junctions_ = 0;
  double target_bytes_ = 0, source_bytes_ = 0;  ///< of one side
};

/// Of a point neuron: the sums of what is on its way, for delays up to that.
double ring_bytes(const models::Network& network, const mechanisms::Registry& mechanisms,
                  PopulationId population, double longest_delay_ms);

/// How many columns a recording of weights has: a mean where the number of connections is one.
/// Throws InvalidModel as network::expected_connection_count().
double expected_weights(const models::Network& network, const models::Recording& recording);

class ExpectedProjection {
 public:
  /// first: the first target cell as a range of its own, which is built on. Throws InvalidModel.
  ExpectedProjection(const models::Network& network, const mechanisms::Registry& mechanisms,
                     std::size_t projection, RangePlan first);
  /// Without connections: nothing.
  ExpectedProjection() = default;

  /// Those onto all targets, one for each location.
  double connections() const { return connections_; }
  double shortest_delay_ms() const { return shortest_delay_ms_; }  ///< 0 without connections
  double longest_delay_ms() const { return longest_delay_ms_; }
  bool is_plastic() const { return projection_->stdp.has_value(); }
  /// [rank] how many of these lead to its cells: of a list its rows are counted.
  std::vector<double> connections_of_ranks(const network::Placement& placement) const;
  /// What so many connections onto so many targets take, of which the cells stand on so many
  /// ranges.
  ConnectionMemory memory(double connections, double targets, double ranges) const;
  /// Of so many connections that stand on so many ranges, in epochs of that length.
  BurstEvents burst(double connections, double ranges, double epoch_ms) const;

 private:
  void add_connector(double connections, double targets, ConnectionMemory& memory) const;
  double index_bytes(double connections) const;
  double sources_of(double connections) const;

  const models::Projection* projection_ = nullptr;
  std::uint64_t source_cells_ = 0;  ///< of the population
  bool keeps_positions_ = false, has_one_delay_ = false;
  double connections_ = 0;
  double locations_ = 1;  ///< of one connection
  double nodes_ = 1;      ///< of a cell where there are such synapses
  double shortest_delay_ms_ = 0, longest_delay_ms_ = 0;
  bool is_onto_points_ = false;
  bool has_one_weight_ = false;
  bool merges_ = false;
  bool is_synapse_ = false;
  double instance_bytes_ = 0, entry_bytes_ = 0, argument_bytes_ = 0;
};

}  // namespace hillock::simulator
