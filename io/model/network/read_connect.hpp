#pragma once
// Reads a projection's `connect:`, exactly one rule with its options.

#include <optional>
#include <span>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// What a rule is read for.
struct ConnectScope {
  models::PopulationSlice from;
  models::PopulationSlice to;
  bool sizes_known = false;  ///< false after an error in a population
  /// The slot of weights, or null when that is not known.
  const Slot* weight = nullptr;
  /// For gap junctions: every rank needs all rows of a list, not only those of its part, and the
  /// places that rows give are the sources'.
  bool is_of_gaps = false;
  /// Of the cells on which rows give places, or null when that is not known.
  const CellShape* shape = nullptr;
  /// That the receiving mechanism's NET_RECEIVE takes behind the weight.
  std::span<const EventArgument> arguments = {};
  /// Whose points the targets of a list's rows are; null: they are cells.
  const models::PointList* points = nullptr;
};

std::optional<models::ConnectionRule> read_connect(ReadContext& context, const Item& item,
                                                   const ConnectScope& scope);

/// What a delay must be, before it is compared with dt.
inline Slot delay_slot() {
  return Slot::of("ms").at_least(0).at_most(1e8);
}

/// Whether spikes of a population may have such a delay. Yes where it is not known what it is.
bool is_long_enough(const ReadContext& context, double delay_ms, PopulationId source);

/// Reads the `list:` rule: inline pairs, a CSV file or an HDF5 file. Of its rows those of
/// context.list_part are read and checked; how many there are is known of all.
std::optional<models::ConnectionRows> read_rows(ReadContext& context, const Item& item,
                                                const ConnectScope& scope);

}  // namespace hillock::io
