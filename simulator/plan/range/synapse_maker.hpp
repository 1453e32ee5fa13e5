#pragma once
// Makes the instances that the connections of one projection, or a stimulus's events, lead to.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/plan/cells/synapse_nodes.hpp"
#include "simulator/plan/range/range_draft.hpp"

namespace hillock::simulator {

class SynapseMaker {
 public:
  /// Everything given must outlive the maker.
  SynapseMaker(RangeDraft& draft, const models::MechanismUse& use, const models::Locations& at,
               bool shared);

  const mechanisms::Mechanism& mechanism() const { return mechanism_; }
  std::uint32_t set() const { return set_; }
  /// Whether all connections onto a cell lead to the same instances.
  bool is_one_a_cell() const { return is_one_ && !nodes_.are_anywhere(); }

  /// Instances on the draft's current cell for one connection. draws: of its place. key: what the
  /// draws of its parameters are named by. The result stays until the next call. Throws
  /// InvalidModel.
  std::span<const std::uint32_t> make(RandomStream draws, const SynapseKey& key);
  /// The same for a connection that says where it leads: on a branch of the cell, by its number,
  /// how far along it.
  std::span<const std::uint32_t> make_at(std::uint32_t branch, double position,
                                         const SynapseKey& key);
  /// Makes them `number` times, which is_one_a_cell().
  std::span<const std::uint32_t> make_one(std::uint32_t number);

 private:
  std::uint32_t instance_at(NodeId node, const SynapseKey& key);
  MergedInstances merged() const;
  void begin_cell();
  std::vector<double>& values_at(NodeId node, const SynapseKey& key);

  RangeDraft& draft_;
  const models::MechanismUse& use_;
  SynapseNodes nodes_;
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
  bool shared_, merges_;
  bool alike_;   ///< on one cell, instances of one node have equal values
  bool is_one_;  ///< and are one
  std::size_t cell_ = ~std::size_t{0};
  bool is_made_ = false;  ///< instances_ hold for the rest of the cell
  std::vector<std::uint32_t> instances_;
  /// [node] its instance, if it has one on this cell.
  struct Known {
    std::size_t cell = ~std::size_t{0};
    std::uint32_t instance = 0;
  };
  std::vector<Known> known_;
  std::vector<double> values_;
  NodeId values_node_{-1};  ///< whose values_ are, of this cell; -1: nobody's
  bool are_everywhere_;     ///< values_ are those of every node of every cell
};

}  // namespace hillock::simulator
