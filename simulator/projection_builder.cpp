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

}  // namespace

void add_projections(NetworkDraft& draft, BuiltNetwork& result) {
  const models::Network& network = draft.network();
  std::vector<SourcedTarget> all;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    const auto& synapse = std::get<models::Synapse>(projection.link);
    const mechanisms::Mechanism& mechanism = mechanism_of(synapse.mechanism, draft.mechanisms());
    const std::uint64_t first_source = network.first_cell(projection.from.population).value;
    std::map<const CellKind*, std::vector<NodeId>> fixed_places;
    for (const network::Connection& connection : network::connect(network, p)) {
      check_weight(mechanism, connection.weight, projection.weight.place());
      const CellAddress address = draft.address_of(projection.to.population, connection.target);
      const GroupDraft& group = draft.group(address.group);
      const CellKind* kind = group.kinds[address.lane];
      const auto resolve = [&] {
        RandomStream draws = network::place_stream(network, p, connection);
        return solver::resolve(*kind->cell, synapse.at, draws);
      };
      std::vector<NodeId> drawn;
      const std::vector<NodeId>* nodes = &drawn;
      if (synapse.at.kind == models::Locations::Kind::uniform) {
        drawn = resolve();
      } else {
        auto known = fixed_places.find(kind);
        if (known == fixed_places.end()) known = fixed_places.emplace(kind, resolve()).first;
        nodes = &known->second;
      }
      const std::string key = fmt::format(":{}:{}:{}", p, connection.source, connection.k);
      for (const NodeId node : *nodes) {
        const auto instance = draft.add_point(
            address, mechanism, node, draft.synapse_values(synapse.mechanism, address, node, key));
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
