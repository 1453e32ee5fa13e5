#pragma once
// What is on its way to the cells of one range: spikes through connections, events of stimuli.

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/state_walk.hpp"
#include "network/fan_in.hpp"
#include "network/spikes.hpp"
#include "network/trains.hpp"

namespace hillock::network {

/// The connections of one projection, or of one stimulus's trains, onto a range.
struct FanInTable {
  std::uint32_t mechanism = 0;     ///< number of the point process on the range
  std::uint64_t first_source = 0;  ///< the cell that is source 0; of a stimulus: of its trains
  std::uint64_t source_count = 0;
  FanIn connections;
  std::uint32_t projection = 0;  ///< its number in the model, or the stimulus's
};

/// Entries of a table that are reached together.
struct Arrival {
  std::int64_t step = 0;  ///< the boundary they are applied at: before step `step`
  double time_ms = 0;     ///< exact
  std::uint64_t source = 0;
  std::uint32_t table = 0;
  FanIn::Entries entries;

  /// Total order that does not depend on who sent when: for any cell, that of (step, time, source,
  /// projection or stimulus, connection).
  bool operator<(const Arrival& other) const {
    return std::tie(step, time_ms, source, table, entries.begin) <
           std::tie(other.step, other.time_ms, other.source, other.table, other.entries.begin);
  }
};

class Inbox {
 public:
  /// tables: of projections in the model's order, then of stimuli, whose sources send nothing by
  /// themselves: trains do. projections: how many of the tables are of projections.
  Inbox(std::vector<FanInTable> tables, std::size_t projections, std::vector<DrivenCell> trains);

  /// Before anything is sent.
  void start(double dt_ms, std::int64_t epoch_steps);
  /// Spikes that were made since the last call, of any cells, in any order.
  void send(std::span<const CellSpike> spikes);
  /// What arrives at steps [first, last), in order. Calls follow one another without a gap, and
  /// none reaches over a multiple of the epoch's steps. Stays until the next call.
  std::span<const Arrival> take(std::int64_t first, std::int64_t last);

  const FanInTable& table(std::size_t i) const { return tables_[i]; }
  /// For an engine that finds by itself what arrives when.
  struct Parts {
    std::vector<FanInTable> tables;
    std::size_t projections;
    Trains trains;
  };
  Parts take_apart() && { return {std::move(tables_), projections_, std::move(trains_)}; }
  /// Lets an engine put its own numbers for instances: name(mechanism, instance).
  template <class Name>
  void rename(const Name& name) {
    for (FanInTable& table : tables_)
      table.connections.rename(
          [&](std::uint32_t instance) { return name(table.mechanism, instance); });
  }
  std::size_t bytes() const;

  /// Saves or restores where the trains are, of the range's cells, which `state` has begun. What
  /// projections have on its way is not there: whoever saves keeps the spikes that it comes from.
  void walk(StateWalk& state) { trains_.walk(state); }
  /// After start(): steps go on from `first_step`. What is sent and arrives before was received
  /// before.
  void resume_at(std::int64_t first_step);

 private:
  void add(const Arrival& arrival);

  std::vector<FanInTable> tables_;
  std::size_t projections_;
  Trains trains_;
  double dt_ms_ = 0;
  std::int64_t epoch_steps_ = 1;
  std::int64_t next_epoch_ = 0;
  std::int64_t resumed_at_ = 0;  ///< the first step to come when the run was resumed
  /// [epoch % size] of those from next_epoch_ on.
  std::vector<std::vector<Arrival>> epochs_;
  std::vector<Arrival> taken_;
};

}  // namespace hillock::network
