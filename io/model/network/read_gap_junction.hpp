#pragma once
// Reads `gap_junction:` of a projection.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// What a gap junction joins.
struct GapEnds {
  const CellShape& source;
  const CellShape& target;
  const models::PopulationSlice& from;
  const models::PopulationSlice& to;
  bool are_known = false;
};

/// Reads `{g: 1 nS, at: soma(0.5), peer_at: soma(0.5)}`, or a mechanism instead of g. `at` is on
/// the target, as a synapse's is; `peer_at` on the source. What it puts on the populations is noted
/// in the context.
std::optional<models::GapJunction> read_gap_junction(ReadContext& context, const Item& item,
                                                     const GapEnds& ends);

}  // namespace hillock::io
