#pragma once
// What is on its way to the cells of one range: spikes through connections, events of stimuli.

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/state/state_walk.hpp"
#include "network/fan_in.hpp"
#include "network/resumed.hpp"
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

/// Entries of a table that are reached together. There may be as many of them as connections, so
/// they are kept small; the inbox knows what is the same for all of a table (step_of, source_of).
struct Arrival {
  static constexpr unsigned step_bits = 12;

  double time_ms = 0;                  ///< exact
  std::uint32_t source = 0;            ///< counted from the table's first
  std::uint32_t begin = 0;             ///< the first entry
  std::uint32_t count = 0;             ///< of entries
  std::uint32_t step : step_bits = 0;  ///< of the epoch in which it arrives
  std::uint32_t table : (32 - step_bits) = 0;

  FanIn::Entries entries() const { return {begin, begin + count}; }
};
static_assert(sizeof(Arrival) == 24);

class Inbox {
 public:
  /// tables: of projections in the model's order, then of stimuli, whose sources send nothing by
  /// themselves: trains do. projections: how many of the tables are of projections.
  Inbox(std::vector<FanInTable> tables, std::size_t projections, std::vector<DrivenCell> trains);

  /// No epoch has more steps, no range more tables.
  static constexpr std::int64_t most_epoch_steps = std::int64_t{1} << Arrival::step_bits;
  static constexpr std::size_t most_tables = std::size_t{1} << (32 - Arrival::step_bits);

  /// Before anything is sent. What arrives at step `end` or later is not kept. Throws
  /// std::invalid_argument for epochs of more steps than most. boundaries: whose clock outlives
  /// this.
  void start(const Boundaries& boundaries, std::int64_t epoch_steps,
             std::int64_t end = std::numeric_limits<std::int64_t>::max());
  /// Spikes that were made since the last call, of any cells, in any order.
  void send(std::span<const CellSpike> spikes);
  /// What arrives at steps [first, last), in order. Calls follow one another without a gap, and
  /// none reaches over a multiple of the epoch's steps. The order does not depend on who sent when:
  /// for any cell, it is that of (step, time, source, projection or stimulus, connection). Stays
  /// until more is sent or taken.
  std::span<const Arrival> take(std::int64_t first, std::int64_t last);
  /// Of what was taken: the boundary it is applied at, before that step.
  std::int64_t step_of(const Arrival& arrival) const {
    return taken_epoch_ * epoch_steps_ + arrival.step;
  }
  /// The cell, or first_stimulus_source and the stimulus's number.
  std::uint64_t source_of(const Arrival& arrival) const {
    return first_sources_[arrival.table] + arrival.source;
  }

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
  /// After start(): steps go on from there. What is sent and was heard of before is dropped.
  void resume_at(const Resumed& at);

 private:
  void add(std::int64_t step, Arrival arrival);
  std::vector<Arrival>& list_of(std::int64_t epoch);
  bool is_before(const Arrival& a, const Arrival& b) const;

  std::vector<FanInTable> tables_;
  std::size_t projections_;
  std::vector<std::uint64_t> first_sources_;  ///< [table] in the order of sources
  Trains trains_;
  Boundaries boundaries_;
  std::int64_t epoch_steps_ = 1;
  std::int64_t end_ = 0;
  std::int64_t next_epoch_ = 0;
  std::int64_t taken_epoch_ = 0;
  Resumed resumed_;
  /// [epoch % size] of those from next_epoch_ on. Of what was taken the memory serves again.
  std::vector<std::vector<Arrival>> epochs_;
  std::vector<Arrival> taken_;
};

}  // namespace hillock::network
