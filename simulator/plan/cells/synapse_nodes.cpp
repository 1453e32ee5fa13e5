#include "simulator/plan/cells/synapse_nodes.hpp"

namespace hillock::simulator {

SynapseNodes::SynapseNodes(const models::Locations& at)
    : at_(at),
      are_anywhere_(at.kind == models::Locations::Kind::uniform ||
                    at.kind == models::Locations::Kind::listed) {}

void SynapseNodes::begin(const CellKind& kind) {
  if (kind_ == &kind) return;
  kind_ = &kind;
  by_length_.reset();
  if (are_anywhere_) return;
  RandomStream none(0, Purpose::location, {});
  nodes_ = solver::resolve(*kind.cell, at_, none);
}

std::span<const NodeId> SynapseNodes::of(RandomStream draws) {
  if (!are_anywhere_) return nodes_;
  if (!by_length_) by_length_.emplace(*kind_->cell, at_.region);
  if (by_length_->empty()) solver::resolve(*kind_->cell, at_, draws);  // says so
  nodes_.assign(1, by_length_->draw(draws));
  return nodes_;
}

NodeId SynapseNodes::at(std::uint32_t branch, double position) const {
  return solver::node_at(*kind_->cell, static_cast<int>(branch), position);
}

}  // namespace hillock::simulator
