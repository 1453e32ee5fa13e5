#pragma once
// A network while it is being built: groups of cells onto which projections, stimuli and recordings
// are put, one after the other. Backends see only what comes out (simulator/network_builder.hpp).

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/network.hpp"
#include "simulator/cell_kind.hpp"
#include "simulator/network_builder.hpp"

namespace hillock::simulator {

/// Point-process instances of one mechanism in one group, lane by lane, before they are padded.
struct PointDraft {
  const mechanisms::Mechanism* mechanism = nullptr;
  struct Lane {
    std::vector<int> nodes;             ///< [instance]
    std::vector<double> values;         ///< [instance][variable]
    std::vector<std::uint32_t> merged;  ///< [instance] synapses it stands for
    std::unordered_multimap<std::uint64_t, std::size_t> known;  ///< linear ones, by node and values
  };
  std::vector<Lane> lanes;
  /// Connections that keep their arguments, in the order in which they were made.
  std::vector<network::EventTarget> connections;
  std::vector<double> arguments;  ///< from each connection's slot on
};

/// A group while things are put on its cells. Blocks: first the kind's densities, then points.
struct GroupDraft {
  std::vector<const CellKind*> kinds;  ///< [used lane]
  std::vector<CellIdentity> cells;     ///< [used lane]
  std::vector<PointDraft> points;
  GroupPlan plan;
};

/// The cell whose numbers a lane has: lanes beyond the group's cells repeat its last one, so that
/// their numbers stay tame.
std::size_t cell_of_lane(const GroupDraft& draft, std::size_t lane);

/// Gives the group arrays for the ions that change in it, once all blocks are laid out. Throws
/// InvalidModel when two mechanisms set one variable of an ion at one place.
void add_ions(GroupDraft& draft, const models::Network& network);

/// Finds what the group's POINTERs stand for, after add_ions(). Throws InvalidModel.
void resolve_pointers(GroupDraft& draft, const models::Network& network);

/// Gives every instance that draws random numbers a key of its own.
void number_streams(GroupDraft& draft, std::uint64_t seed);

/// Where a cell is.
struct CellAddress {
  std::size_t group = 0;
  std::size_t lane = 0;
};

class NetworkDraft {
 public:
  /// Makes the groups with their density mechanisms. options must outlive the draft.
  NetworkDraft(const models::Network& network, const mechanisms::Registry& mechanisms,
               const BuildOptions& options);

  const models::Network& network() const { return network_; }
  const mechanisms::Registry& mechanisms() const { return mechanisms_; }
  const GroupDraft& group(std::size_t index) const { return groups_[index]; }
  GroupDraft& group(std::size_t index) { return groups_[index]; }
  std::size_t group_count() const { return groups_.size(); }
  std::uint64_t compartments() const { return compartments_; }
  CellAddress address_of(PopulationId population, std::uint64_t index) const;

  /// Where events for an artificial cell go; nothing for other cells.
  std::optional<network::EventTarget> cell_target(PopulationId population,
                                                  const CellAddress& address) const;

  /// The variables of one cell as a whole: index, size, r, and x y z, where it lies.
  Bindings bindings_of(PopulationId population, const CellIdentity& cell);

  /// Puts one instance on a cell; `values` are its variables in the signature's order. Instances of
  /// a linear synapse with equal values at one node are one, and so are shared ones.
  network::EventTarget add_point(const CellAddress& address, const mechanisms::Mechanism& mechanism,
                                 NodeId node, const std::vector<double>& values,
                                 bool shared = false);
  /// Connects to an instance. Where the mechanism's connections keep their arguments, this one gets
  /// its own: the weight, and 0 for the others.
  network::EventTarget add_connection(const CellAddress& address, network::EventTarget target,
                                      double weight);
  /// A synapse's variables at a node of a cell. `key` tells apart draws of synapses at one node.
  std::vector<double> synapse_values(const models::MechanismUse& use, const CellAddress& address,
                                     NodeId node, const std::string& key);
  /// Lets an instance's variable follow a table in time.
  void play(std::size_t group, const network::EventTarget& target, const std::string& variable,
            const std::vector<std::pair<double, double>>& table);

  /// Gives every point block its final, padded arrays. Nothing can be put on cells after it.
  void lay_out_blocks();
  std::vector<GroupPlan> take_plans();

 private:
  struct Played {
    std::size_t group = 0;
    network::EventTarget target;
    std::string variable;
    const std::vector<std::pair<double, double>>* table = nullptr;
  };

  void make_groups();
  void add_artificial_cells();
  const CellKind& kind_of(const models::CableCell& cable, CellId id);
  CellIdentity identity_of(PopulationId population, std::uint64_t index) const;
  GroupDraft make_group(PopulationId population, const models::CableCell& cable,
                        const std::vector<std::uint64_t>& indices,
                        const std::vector<const CellKind*>& kinds);
  /// A population's cells in the order in which they share groups: those of like shape together.
  std::vector<std::uint64_t> group_order(const std::vector<const CellKind*>& kinds) const;
  const std::vector<const models::Locations*>& ends_used(const models::CableCell& cable);
  std::vector<bool> kept_nodes(const CellKind& kind);
  void set_initial_voltages(GroupDraft& draft) const;
  void add_density(GroupDraft& draft, std::size_t placement) const;
  void lay_out(GroupDraft& draft, PointDraft& points) const;
  static void lay_out_connections(const GroupPlan& plan, PointDraft& points, MechanismBlock& block);

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  const BuildOptions& options_;
  std::uint64_t compartments_ = 0;
  std::vector<GroupDraft> groups_;
  std::vector<std::vector<CellAddress>> addresses_;  ///< [population][cell]
  std::map<const models::CableCell*, std::vector<const models::Locations*>> ends_used_;
  std::deque<CellKind> kinds_;
  std::map<const models::CableCell*, const CellKind*> shared_kinds_;
  std::map<std::uint32_t, std::vector<std::array<double, 3>>> positions_;  ///< [population][cell]
  std::vector<Played> played_;
};

/// Whether instances of a linear mechanism with equal values at one node may be one: not where
/// connections remember, or instances send events.
bool can_merge(const mechanisms::Mechanism& mechanism);

/// A synapse's conductance cannot be negative, whatever drew its weight. Throws InvalidModel.
void check_weight(const mechanisms::Mechanism& mechanism, double weight, const Place& place);

/// A cell's shape and membrane; of an artificial cell a compartment on which nothing flows.
const models::CableCell& body_of(const models::Cell& cell);

/// Every variable's default, in the signature's order.
std::vector<double> defaults_of(const mechanisms::Mechanism& mechanism);

/// The place of one number in a block's columns.
std::size_t index_of(const GroupPlan& plan, const MechanismBlock& block, std::size_t variable,
                     std::size_t instance, std::size_t lane);

// What is put on the cells, in this order; recordings after lay_out_blocks().
void add_projections(NetworkDraft& draft, BuiltNetwork& result, Activity& activity);
/// Instead of add_projections(): counts what it would make.
void expect_projections(NetworkDraft& draft, BuiltNetwork& result);
void add_stimuli(NetworkDraft& draft, BuiltNetwork& result);
void add_recordings(NetworkDraft& draft, BuiltNetwork& result);

}  // namespace hillock::simulator
