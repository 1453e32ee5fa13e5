#pragma once
// So many pairs of cells drawn out of all there are, as one stream of draws has them, on all
// threads.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "network/connection_draws.hpp"
#include "network/pairs_by_target.hpp"

namespace hillock::network {

/// The first `connect.number` pairs that a stream gives of a projection's cells: each attempt draws
/// a source, then a target. Forbidden pairs do not count, and without multapses neither does one
/// that was there before. There must be so many.
/// Attempts are drawn in pieces, each from its own place in the stream; whether a pair was there
/// before is found span by span of targets, in the order of attempts.
std::vector<PairPiece> draw_total(const models::Projection& projection,
                                  const ConnectionDraws& draws, const RandomStream& stream,
                                  const TargetSpans& spans, const Runner& run);

}  // namespace hillock::network
