// Puts the synapses of projections on their targets and lists every cell's outgoing connections.

#include <fmt/format.h>

#include <map>

#include "network/connectivity.hpp"
#include "simulator/network_draft.hpp"

namespace hillock::simulator {

namespace {

struct SourcedTarget {
  std::uint64_t source = 0;
  Outgoing outgoing;
};

OutgoingTable sort_by_source(const std::vector<SourcedTarget>& all, std::uint64_t cells) {
  OutgoingTable table;
  table.offsets.assign(cells + 1, 0);
  for (const auto& item : all) ++table.offsets[item.source + 1];
  for (std::size_t i = 1; i < table.offsets.size(); ++i) table.offsets[i] += table.offsets[i - 1];
  table.targets.resize(all.size());
  std::vector<std::uint64_t> next(table.offsets.begin(), table.offsets.end() - 1);
  for (const auto& item : all) table.targets[next[item.source]++] = item.outgoing;
  return table;
}

/// Finds the instances that the connections of one projection lead to, and makes them.
class TargetFinder {
 public:
  TargetFinder(NetworkDraft& draft, std::size_t projection)
      : draft_(draft),
        number_(projection),
        projection_(draft.network().projections[projection]),
        synapse_(std::get_if<models::Synapse>(&projection_.link)),
        mechanism_(mechanism_of(use(), draft.mechanisms())) {}

  const mechanisms::Mechanism& mechanism() const { return mechanism_; }

  std::vector<network::EventTarget> make(const network::Connection& connection,
                                         const CellAddress& address) {
    if (const auto cell = draft_.cell_target(projection_.to.population, address)) return {*cell};
    const std::string key = fmt::format(":{}:{}:{}", number_, connection.source, connection.k);
    std::vector<network::EventTarget> targets;
    for (const NodeId node : places(connection, address))
      targets.push_back(draft_.add_point(
          address, mechanism_, node, draft_.synapse_values(synapse_->mechanism, address, node, key),
          synapse_->shared));
    return targets;
  }

 private:
  const models::MechanismUse& use() const {
    if (synapse_) return synapse_->mechanism;
    const models::Network& network = draft_.network();
    const auto& population = network.populations[projection_.to.population.value];
    return std::get<models::ArtificialCell>(network.cells[population.cell].kind).mechanism;
  }

  const std::vector<NodeId>& places(const network::Connection& connection,
                                    const CellAddress& address) {
    const CellKind* kind = draft_.group(address.group).kinds[address.lane];
    const auto resolve = [&] {
      RandomStream draws = network::place_stream(draft_.network(), number_, connection);
      return solver::resolve(*kind->cell, synapse_->at, draws);
    };
    if (synapse_->at.kind == models::Locations::Kind::uniform) return drawn_ = resolve();
    auto known = fixed_.find(kind);
    if (known == fixed_.end()) known = fixed_.emplace(kind, resolve()).first;
    return known->second;
  }

  NetworkDraft& draft_;
  std::size_t number_;
  const models::Projection& projection_;
  const models::Synapse* synapse_;  ///< null: the target cells take events themselves
  const mechanisms::Mechanism& mechanism_;
  std::map<const CellKind*, std::vector<NodeId>> fixed_;
  std::vector<NodeId> drawn_;
};

}  // namespace

void add_projections(NetworkDraft& draft, BuiltNetwork& result) {
  const models::Network& network = draft.network();
  std::vector<SourcedTarget> all;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    TargetFinder finder(draft, p);
    const std::uint64_t first_source = network.first_cell(projection.from.population).value;
    for (const network::Connection& connection : network::connect(network, p)) {
      check_weight(finder.mechanism(), connection.weight, projection.weight.place());
      const CellAddress address = draft.address_of(projection.to.population, connection.target);
      for (const network::EventTarget& instance : finder.make(connection, address)) {
        const auto target = draft.add_connection(address, instance, connection.weight);
        all.push_back(
            {first_source + connection.source,
             {static_cast<std::uint32_t>(address.group), target, static_cast<std::uint32_t>(p),
              connection.k, connection.weight, connection.delay_ms}});
      }
      if (result.shortest_delay_ms == 0 || connection.delay_ms < result.shortest_delay_ms)
        result.shortest_delay_ms = connection.delay_ms;
    }
  }
  result.synapses = all.size();
  result.outgoing = sort_by_source(all, network.cell_count());
}

}  // namespace hillock::simulator
