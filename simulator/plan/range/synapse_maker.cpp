#include "simulator/plan/range/synapse_maker.hpp"

#include <algorithm>

namespace hillock::simulator {

SynapseMaker::SynapseMaker(RangeDraft& draft, const models::MechanismUse& use,
                           const models::Locations& at, bool shared)
    : draft_(draft),
      use_(use),
      nodes_(at),
      mechanism_(mechanism_of(use, draft.mechanisms())),
      set_(draft.set_of(mechanism_)),
      shared_(shared),
      merges_(can_merge(mechanism_)),
      alike_(std::ranges::all_of(use.parameters,
                                 [](const auto& entry) { return entry.second.is_constant(); })),
      is_one_(alike_ && (merges_ || shared_)),
      are_everywhere_(alike_) {
  for (std::size_t c = 0; c < mechanism_.signature.variables.size(); ++c)
    if (mechanism_.supplier(c)) are_everywhere_ = false;
}

void SynapseMaker::begin_cell() {
  if (cell_ == draft_.cell()) return;
  cell_ = draft_.cell();
  is_made_ = false;
  values_node_ = NodeId(-1);
  nodes_.begin(draft_.kind());
  // No cell before this one left its number there.
  const std::size_t nodes = draft_.kind().cell->node_count();
  if (known_.size() < nodes) known_.resize(nodes);
}

std::span<const std::uint32_t> SynapseMaker::make(RandomStream draws, const SynapseKey& key) {
  begin_cell();
  if (is_made_) {
    if (merges_)
      for (const std::uint32_t instance : instances_) draft_.merge_into(set_, instance);
    return instances_;
  }
  instances_.clear();
  for (const NodeId node : nodes_.of(draws)) instances_.push_back(instance_at(node, key));
  std::sort(instances_.begin(), instances_.end());
  is_made_ = is_one_a_cell();
  return instances_;
}

std::span<const std::uint32_t> SynapseMaker::make_at(std::uint32_t branch, double position,
                                                     const SynapseKey& key) {
  begin_cell();
  instances_.assign(1, instance_at(nodes_.at(branch, position), key));
  return instances_;
}

std::span<const std::uint32_t> SynapseMaker::make_one(std::uint32_t number) {
  if (number == 0) return {};
  const std::span<const std::uint32_t> instances = make(RandomStream(0, Purpose::location, {}), {});
  if (merges_)
    for (const std::uint32_t instance : instances) draft_.merge_into(set_, instance, number - 1);
  return instances;
}

std::uint32_t SynapseMaker::instance_at(NodeId node, const SynapseKey& key) {
  if (!is_one_) return draft_.add_point(set_, node, values_at(node, key), merged());
  Known& known = known_[static_cast<std::size_t>(node.value)];
  if (known.cell == cell_) {
    if (merges_) draft_.merge_into(set_, known.instance);
    return known.instance;
  }
  known = {cell_, draft_.add_point(set_, node, values_at(node, key), merged())};
  return known.instance;
}

MergedInstances SynapseMaker::merged() const {
  return shared_ ? MergedInstances::all : MergedInstances::linear;
}

std::vector<double>& SynapseMaker::values_at(NodeId node, const SynapseKey& key) {
  if (are_everywhere_ && !values_.empty()) return values_;
  if (alike_ && values_node_ == node) return values_;
  values_ = draft_.values_of(use_, mechanism_, node, key);
  values_node_ = node;
  return values_;
}

}  // namespace hillock::simulator
