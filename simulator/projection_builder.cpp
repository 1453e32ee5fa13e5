// Puts the synapses of projections on their targets and lists every cell's outgoing connections.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

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

/// What the connections of a projection come to.
struct InstanceEstimate {
  double connections = 0;  ///< one for each place
  std::uint64_t kept_bytes = 0, building_bytes = 0;
};

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

  /// What so many connections would lead to, judged by the first target cell.
  InstanceEstimate expect(double connections) {
    InstanceEstimate estimate;
    const models::PopulationSlice& to = projection_.to;
    const CellAddress address = draft_.address_of(to.population, to.begin);
    double places = 1;    // of a connection
    double nodes = 1;     // of a cell where there are such synapses
    bool is_new = false;  // artificial cells take events themselves
    if (!draft_.cell_target(to.population, address)) {
      is_new = true;
      const std::vector<NodeId>& nodes_there = this->places({0, to.begin}, address);
      places = static_cast<double>(nodes_there.size());
      for (const NodeId node : nodes_there)  // in vain, but wrong values are found
        draft_.synapse_values(synapse_->mechanism, address, node, "");
      const bool anywhere = synapse_->at.kind == models::Locations::Kind::uniform;
      const solver::Template& cell = *draft_.group(address.group).kinds[address.lane]->cell;
      nodes = anywhere ? static_cast<double>(cell.compartment_count()) : places;
    }
    estimate.connections = connections * places;
    double instances = is_new ? estimate.connections : 0;
    const bool alike = std::ranges::all_of(
        use().parameters, [](const auto& entry) { return entry.second.is_constant(); });
    if (is_new && alike && (synapse_->shared || can_merge(mechanism_)))
      instances = std::min(instances, nodes * static_cast<double>(to.size()));
    const mechanisms::MechanismInfo& info = *mechanism_.info;
    const double instance_bytes = 8.0 * info.count() + 8;
    constexpr double map_entry_bytes = 48;
    const double argument_bytes = info.keeps_arguments ? 8.0 * info.arguments + 4 : 0;
    estimate.kept_bytes = static_cast<std::uint64_t>(instances * instance_bytes +
                                                     estimate.connections * argument_bytes);
    estimate.building_bytes = static_cast<std::uint64_t>(
        instances * (instance_bytes + (can_merge(mechanism_) ? map_entry_bytes : 0)));
    return estimate;
  }

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

void add_projections(NetworkDraft& draft, BuiltNetwork& result, Activity& activity) {
  const models::Network& network = draft.network();
  std::vector<double> expected;
  for (std::size_t p = 0; p < network.projections.size(); ++p)
    expected.push_back(network::expected_connection_count(network, p));
  const double most = std::accumulate(expected.begin(), expected.end(), 0.0);
  std::vector<SourcedTarget> all;
  all.reserve(
      static_cast<std::size_t>(most + 6 * std::sqrt(most)));  // a drawn number may be larger
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    TargetFinder finder(draft, p);
    const std::uint64_t first_source = network.first_cell(projection.from.population).value;
    // connect() does two of three parts of the work.
    activity.begin("connecting " + projection.name, static_cast<std::uint64_t>(3 * expected[p]));
    const auto connections =
        network::connect(network, p, [&](std::uint64_t done) { activity.reach(done); });
    for (const network::Connection& connection : connections) {
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
      activity.add(1);
    }
  }
  activity.begin("sorting connections");
  result.connections = result.synapses = all.size();
  result.outgoing = sort_by_source(all, network.cell_count());
}

void expect_projections(NetworkDraft& draft, BuiltNetwork& result) {
  const models::Network& network = draft.network();
  double all = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const auto expected = network::expect_connections(network, p);
    if (expected.count == 0) continue;
    TargetFinder finder(draft, p);
    const InstanceEstimate instances = finder.expect(expected.count);
    result.connection_memory.kept += instances.kept_bytes;
    result.connection_memory.building += instances.building_bytes;
    all += instances.connections;
    if (result.shortest_delay_ms == 0 || expected.shortest_delay_ms < result.shortest_delay_ms)
      result.shortest_delay_ms = expected.shortest_delay_ms;
  }
  result.connections = result.synapses = static_cast<std::uint64_t>(std::llround(all));
  result.connection_memory.kept += static_cast<std::uint64_t>(all * sizeof(Outgoing));
  // What connect() makes is gone before the table that is kept is filled, and no larger.
  result.connection_memory.building += static_cast<std::uint64_t>(all * sizeof(SourcedTarget));
}

}  // namespace hillock::simulator
