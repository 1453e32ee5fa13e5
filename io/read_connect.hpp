#pragma once
// Reads a projection's `connect:`, exactly one rule with its options.

#include <optional>

#include "io/read_context.hpp"
#include "io/slot.hpp"

namespace hillock::io {

/// What a rule is read for.
struct ConnectScope {
  models::PopulationSlice from;
  models::PopulationSlice to;
  bool sizes_known = false;  ///< false after an error in a population
  /// The slot of weights, or null when that is not known.
  const Slot* weight = nullptr;
};

std::optional<models::ConnectionRule> read_connect(ReadContext& context, const Item& item,
                                                   const ConnectScope& scope);

/// Reads the `list:` rule: inline pairs, a CSV file or an HDF5 file.
std::optional<std::vector<models::ConnectionRule::Pair>> read_pairs(ReadContext& context,
                                                                    const Item& item,
                                                                    const ConnectScope& scope);

}  // namespace hillock::io
