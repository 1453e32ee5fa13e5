#pragma once
// The connections of one projection whose weights change: where they lead, when, and how strongly.

#include <cstdint>
#include <span>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "network/propagation/synapse_table.hpp"
#include "simulator/plasticity/stdp_rule.hpp"

namespace hillock::simulator {

/// Sorted by source, and those of one source by delay; what then is alike keeps its order. 12 bytes
/// a connection, 16 where delays differ.
struct PlasticSynapses {
  /// parts: of one projection, at least one. step: of the targets.
  PlasticSynapses(std::span<const network::SynapsePart> parts, const models::PointStep& step);

  std::size_t size() const { return targets.size(); }
  std::int64_t delay(std::size_t synapse) const { return delays[synapse]; }
  std::size_t bytes() const;

  /// [target] where in `synapses` its own lie, by source, and where the last one's end.
  struct ByTarget {
    std::vector<std::uint32_t> first, synapses, sources;
  };
  ByTarget by_target(std::size_t neurons) const;

  std::uint64_t first_source = 0, source_count = 0;
  network::SourceIndex index;
  std::vector<std::uint32_t> targets;  ///< [synapse]
  OneOrManyOf<std::uint32_t> delays;   ///< [synapse], in steps
  std::vector<double> weights;         ///< [synapse]
  std::int64_t longest_steps = 1;
};

/// A rule with what its traces decay by in each number of steps.
class StdpTables {
 public:
  StdpTables(const models::Stdp& stdp, double dt_ms);
  /// As long as this lives.
  StdpRule rule() const;
  std::size_t bytes() const;

 private:
  StdpRule rule_;
  std::vector<double> plus_, minus_;
};

}  // namespace hillock::simulator
