#include "simulator/plan/network/placed_connections.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "network/connectivity.hpp"
#include "simulator/plan/cells/synapse_nodes.hpp"
#include "simulator/plan/network/population_cells.hpp"
#include "simulator/plan/range/gap_builder.hpp"

namespace hillock::simulator {

namespace {

using Kinds = std::vector<std::shared_ptr<const CellKind>>;

constexpr std::uint64_t targets_at_once = 4096;  // cells of random trees are kinds of their own

void add_place(CellPlaces& places, const CellKind& kind, NodeId node) {
  places.branches.push_back(static_cast<std::uint32_t>(kind.cell->branch_of(node)));
  places.positions.push_back(kind.cell->location(static_cast<std::size_t>(node.value)).position);
}

class Placer {
 public:
  Placer(const models::Network& network, const mechanisms::Registry& mechanisms,
         std::shared_ptr<const OfPopulations> of, std::size_t projection, Activity& activity)
      : network_(network),
        projection_(network.projections[projection]),
        connector_(network, projection),
        cells_(network, mechanisms, std::move(of)),
        activity_(activity) {}

  PlacedConnections place() {
    const models::PopulationSlice& to = projection_.to;
    if (const auto* synapse = std::get_if<models::Synapse>(&projection_.link)) {
      to_ = plan_of(to);
      in_blocks([&](const auto& targets, const Kinds& kinds) {
        place_synapses(*synapse, targets, kinds);
      });
    } else if (const auto* junction = std::get_if<models::GapJunction>(&projection_.link)) {
      to_ = plan_of(to);
      from_ = projection_.from.population == to.population ? to_ : plan_of(projection_.from);
      in_blocks([&](const auto& targets, const Kinds& kinds) {
        place_junctions(*junction, targets, kinds);
      });
    } else {
      for (std::uint64_t target = to.begin; target < to.end; ++target) add_all(target);
    }
    return std::move(made_);
  }

 private:
  std::shared_ptr<const PopulationPlan> plan_of(const models::PopulationSlice& slice) {
    const std::uint64_t size = network_.populations[slice.population.value].size;
    return cells_.order(slice.population, {0, size, 1}, 1, unwatched_).plan;
  }

  /// Calls place(targets, kinds), some targets at a time.
  template <class Place>
  void in_blocks(const Place& place) const {
    const models::PopulationSlice& to = projection_.to;
    for (std::uint64_t begin = to.begin; begin < to.end; begin += targets_at_once) {
      std::vector<std::uint64_t> targets(std::min(to.end - begin, targets_at_once));
      std::iota(targets.begin(), targets.end(), begin);
      place(targets, cells_.kinds_of(*to_, targets));
    }
  }

  void add(const network::Connection& one) {
    made_.sources.push_back(one.source);
    made_.targets.push_back(one.target);
  }
  void add_weighted(const network::Connection& one) {
    add(one);
    made_.weights.push_back(one.weight);
    made_.delays_ms.push_back(one.delay_ms);
  }

  void add_all(std::uint64_t target) {
    const network::TargetConnections onto = connector_.connect(target, scratch_);
    for (std::size_t i = 0; i < onto.size(); ++i) add_weighted(onto[i]);
    activity_.add(onto.size());
  }

  void place_synapses(const models::Synapse& synapse, std::span<const std::uint64_t> targets,
                      const Kinds& kinds) {
    SynapseNodes nodes(synapse.at);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const CellKind& kind = *kinds[t];
      nodes.begin(kind);
      const network::TargetConnections onto = connector_.connect(targets[t], scratch_);
      for (std::size_t i = 0; i < onto.size(); ++i) {
        const network::Connection one = onto[i];
        const NodeId listed =
            onto.branches.empty() ? NodeId(-1) : nodes.at(onto.branches[i], onto.positions[i]);
        const std::span<const NodeId> places =
            onto.branches.empty() ? nodes.of(connector_.draws().location_stream(one))
                                  : std::span(&listed, 1);
        for (const NodeId node : places) {
          add_weighted(one);
          add_place(made_.on_target, kind, node);
        }
      }
      activity_.add(onto.size());
    }
  }

  void place_junctions(const models::GapJunction& junction, std::span<const std::uint64_t> targets,
                       const Kinds& kinds) {
    const network::ConnectionDraws& draws = connector_.draws();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const network::TargetConnections onto = connector_.connect(targets[t], scratch_);
      const std::vector<std::uint64_t> sources(onto.sources.begin(), onto.sources.end());
      const Kinds source_kinds = cells_.kinds_of(*from_, sources);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const network::Connection one = onto[i];
        add(one);
        if (!junction.mechanism) made_.weights.push_back(draws.conductance_uS(one));
        RandomStream on_target = draws.location_stream(one);
        RandomStream on_source = draws.peer_location_stream(one);
        const auto node = [&](network::GapSide side, const CellKind& kind, RandomStream stream) {
          return node_of_end(network_, projection_, onto.rows.empty() ? 0 : onto.rows[i], side,
                             *kind.cell, stream);
        };
        add_place(made_.on_target, *kinds[t], node(network::GapSide::target, *kinds[t], on_target));
        add_place(made_.on_source, *source_kinds[i],
                  node(network::GapSide::source, *source_kinds[i], on_source));
      }
      activity_.add(sources.size());
    }
  }

  const models::Network& network_;
  const models::Projection& projection_;
  const network::Connector connector_;
  network::Connector::Scratch scratch_;
  CellMaker cells_;
  Activity& activity_;
  Activity unwatched_;                               ///< of what is not counted in connections
  std::shared_ptr<const PopulationPlan> to_, from_;  ///< where their cells' shapes matter
  PlacedConnections made_;
};

}  // namespace

PlacedConnections placed_connections(const models::Network& network,
                                     const mechanisms::Registry& mechanisms,
                                     std::shared_ptr<const OfPopulations> of,
                                     std::size_t projection, Activity& activity) {
  return Placer(network, mechanisms, std::move(of), projection, activity).place();
}

}  // namespace hillock::simulator
