#pragma once
// Ranks that are threads of one process, for tests and for counting what an exchange sends.

#include <functional>
#include <memory>

#include "network/ranks.hpp"

namespace hillock::network {

/// What ranks have sent to one another, all of them together.
struct Traffic {
  std::uint64_t gathers = 0;   ///< calls of begin_all_gather and all_gather, of one rank
  std::uint64_t sums = 0;      ///< of begin_sum and sum, of one rank
  std::uint64_t messages = 0;  ///< sent by send(), of all ranks
  std::uint64_t bytes = 0;     ///< that ranks got from others, in gathers and messages
};

/// Thrown by what ranks do together when one of them has thrown something else, which is what
/// run_ranks() throws.
class RankAbandoned {};

/// Calls body(ranks) on a thread for each rank, and waits. Throws what the first of them threw. As
/// strict as any MPI may be: a message is on its way only when it is received, and what changes
/// before it is sent is a std::logic_error.
Traffic run_ranks(int count, const std::function<void(Ranks&)>& body);

}  // namespace hillock::network
