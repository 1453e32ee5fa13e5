#pragma once
// The connections onto the point neurons that a device has, in its memory: a table a projection.

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "network/propagation/synapse_table.hpp"
#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::on_device {

/// A device counts in 32 bits.
inline unsigned count_of(std::size_t count) {
  return static_cast<unsigned>(count);
}

/// The number of a cell's population in the network.
unsigned source_of(const NetworkPlan& plan, std::uint64_t cell);

/// How the synapses of a source lie in a table: soon_first where they are passed while neurons
/// advance.
enum class SynapseOrder { as_made, soon_first };

class PointTables {
 public:
  /// Everything outlives this.
  PointTables(const std::vector<PointPopulation>& populations, const NetworkPlan& plan,
              const network::Runner& runner, DeviceMemory& memory)
      : populations_(populations), plan_(plan), runner_(runner), memory_(memory) {}

  /// Puts those onto one population there; they are forgotten.
  void add(std::vector<network::SynapseTable>& tables, const network::InputRingView& inputs,
           SynapseOrder order);
  /// Appends the parts of tables that have synapses of a population's cells, and tells the source.
  void append_pieces_of(const PopulationPlan& population, PointSource& source,
                        std::vector<PointPiece>& pieces) const;

  const std::vector<PointTable>& all() const { return tables_; }
  std::size_t size() const { return tables_.size(); }
  /// How many synapses a table has.
  unsigned size_of(unsigned table) const { return sizes_[table]; }
  /// The number of the population that a table's sources are of.
  unsigned source_of(unsigned table) const { return sources_[table]; }
  /// Of all tables, and of them those that are soon.
  std::uint64_t synapses() const {
    return std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
  }
  std::uint64_t soon() const { return soon_; }

 private:
  template <class Word>
  network::SynapseView<Word> put_synapses(network::SynapseView<Word> view, std::size_t size);
  void put_soon_first(network::SynapseTable& table, std::span<const std::uint32_t> first);
  void put_sources_of_synapses(unsigned table, std::span<const std::uint32_t> first);

  const std::vector<PointPopulation>& populations_;
  const NetworkPlan& plan_;
  const network::Runner& runner_;
  DeviceMemory& memory_;
  std::vector<PointTable> tables_;
  std::vector<std::uint32_t> most_of_source_;  ///< [table]
  std::vector<unsigned> sizes_, sources_;      ///< [table]
  std::uint64_t soon_ = 0;                     ///< synapses
};

}  // namespace hillock::simulator::on_device
