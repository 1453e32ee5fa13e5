#pragma once
// Where on its target a connection leads.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random/random.hpp"
#include "simulator/plan/cells/cell_kind.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

/// The nodes that a projection's, or a stimulus's, `at` stands for on one kind of cell after the
/// other.
class SynapseNodes {
 public:
  /// at: must outlive this.
  explicit SynapseNodes(const models::Locations& at);

  /// Whether every connection draws its location, or says it.
  bool are_anywhere() const { return are_anywhere_; }
  /// From now on of cells of this kind.
  void begin(const CellKind& kind);
  /// Of one connection. draws: of its place. They stay until the next call. Throws InvalidModel
  /// when there is none.
  std::span<const NodeId> of(RandomStream draws);
  /// The node of a connection that says where it leads: on a branch, by its number, how far along.
  NodeId at(std::uint32_t branch, double position) const;

 private:
  const models::Locations& at_;
  bool are_anywhere_;
  const CellKind* kind_ = nullptr;
  std::vector<NodeId> nodes_;
  std::optional<solver::LocationsByLength> by_length_;  ///< of that kind, if are_anywhere_
};

}  // namespace hillock::simulator
