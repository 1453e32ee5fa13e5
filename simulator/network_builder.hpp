#pragma once
// Builds a rank's cell groups, its table of outgoing connections, and its reports from a model.

#include <cstdint>
#include <deque>
#include <vector>

#include "io/sonata.hpp"
#include "models/network.hpp"
#include "network/connectivity.hpp"
#include "network/event_sources.hpp"
#include "simulator/activity.hpp"
#include "simulator/cell_group.hpp"
#include "simulator/cell_kind.hpp"

namespace hillock::simulator {

/// One target of a cell's spikes.
struct Outgoing {
  std::uint32_t group = 0;
  network::EventTarget target;
  std::uint32_t projection = 0;
  std::uint32_t k = 0;
  double weight = 0;
  double delay_ms = 0;
};

/// Who receives a cell's spikes: targets[offsets[cell]] … targets[offsets[cell + 1]].
struct OutgoingTable {
  std::vector<std::uint64_t> offsets;  ///< [cell + 1]
  std::vector<Outgoing> targets;
};

/// A stimulus's train of events and the synapse instances on one cell that it drives.
struct DrivenCell {
  network::EventTrain train;
  std::uint64_t source = 0;  ///< orders events: network::first_stimulus_source + stimulus
  std::uint32_t stimulus = 0;
  std::uint32_t group = 0;
  double weight = 0;
  double delay_ms = 0;
  std::vector<network::EventTarget> targets;
};

/// Whether connections and their synapses are made, or only counted from their rules: everything
/// else is then built, and cannot be run.
enum class Connections { made, expected };

/// What the connections of a network take, in bytes.
struct ConnectionMemory {
  std::uint64_t kept = 0;      ///< for the whole run: connections, and the synapses they lead to
  std::uint64_t building = 0;  ///< at the same time or before, while they are made
};

struct BuiltNetwork {
  std::vector<GroupPlan> groups;
  OutgoingTable outgoing;
  std::vector<DrivenCell> driven;
  std::vector<io::ReportLayout> reports;
  RunConstants run;
  std::uint64_t compartments = 0;
  std::uint64_t connections = 0;
  std::uint64_t synapses = 0;
  ConnectionMemory connection_memory;  ///< of Connections::expected
  double shortest_delay_ms = 0;        ///< 0 without connections
};

struct BuildOptions {
  int widest = 8;  ///< the largest number of lanes a group may have (1, 4 or 8)
  Connections connections = Connections::made;
  Activity* activity = nullptr;  ///< told of every phase; must not be null
};

/// Throws InvalidModel.
BuiltNetwork build_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                           const BuildOptions& options);

}  // namespace hillock::simulator
