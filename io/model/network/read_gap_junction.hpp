#pragma once
// Reads `gap_junction:` of a projection.

#include <optional>
#include <string>

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

/// What a side has of the other one.
enum class GapReads { voltage, variable };

/// Why a mechanism cannot be one side of a gap junction; empty when it can.
std::string no_side(const MechanismSignature& signature, GapReads reads);

enum class GapEndPlaces { one, listed };

/// A place for one end of each junction; of `listed` rows of a list may say it ("list").
std::optional<models::Locations> read_end(const Item& item, const CellShape& shape,
                                          GapEndPlaces places);

/// Reads `{g: 1 nS, at: soma(0.5), peer_at: soma(0.5)}`, or a mechanism instead of g. `at` is on
/// the target, as a synapse's is; `peer_at` on the source. What it puts on the populations is noted
/// in the context.
std::optional<models::GapJunction> read_gap_junction(ReadContext& context, const Item& item,
                                                     const GapEnds& ends);

}  // namespace hillock::io
