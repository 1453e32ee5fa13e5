#pragma once
// The connections onto the point neurons that a device has, in its memory: a table a projection.

#include <cstdint>
#include <span>
#include <vector>

#include "network/propagation/synapse_table.hpp"
#include "simulator/backends/cuda/device/point_views.hpp"
#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/point_parts.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator::cuda {

/// A device counts in 32 bits.
inline unsigned count_of(std::size_t count) {
  return static_cast<unsigned>(count);
}

/// The number of a cell's population in the network.
unsigned source_of(const NetworkPlan& plan, std::uint64_t cell);

class PointTables {
 public:
  /// Everything outlives this.
  PointTables(const std::vector<PointPopulation>& populations, const NetworkPlan& plan,
              DeviceMemory& memory)
      : populations_(populations), plan_(plan), memory_(memory) {}

  /// Puts those onto one population there; they are forgotten.
  void add(std::vector<network::SynapseTable>& tables, const network::InputRingView& inputs);
  /// Appends the parts of tables that have synapses of a population's cells.
  void append_pieces_of(const PopulationPlan& population, std::vector<PointPiece>& pieces) const;

  const std::vector<PointTable>& all() const { return tables_; }
  std::size_t size() const { return tables_.size(); }
  /// How many synapses a table has.
  unsigned size_of(unsigned table) const { return sizes_[table]; }
  /// The number of the population that a table's sources are of.
  unsigned source_of(unsigned table) const { return sources_[table]; }

 private:
  template <class Word>
  network::SynapseView<Word> put_synapses(network::SynapseView<Word> view, std::size_t size);
  void put_sources_of_synapses(unsigned table, std::span<const std::uint32_t> first);

  const std::vector<PointPopulation>& populations_;
  const NetworkPlan& plan_;
  DeviceMemory& memory_;
  std::vector<PointTable> tables_;
  std::vector<std::uint32_t> most_of_source_;  ///< [table]
  std::vector<unsigned> sizes_, sources_;      ///< [table]
};

}  // namespace hillock::simulator::cuda
