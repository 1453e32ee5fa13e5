#pragma once
// This process as one of several ranks (mpirun, srun): how it joins them, its share of the cores,
// and its GPU.

#include <cstdint>

#include "network/agreement.hpp"
#include "network/ranks.hpp"
#include "simulator/command/process/exit_code.hpp"

namespace hillock::command {

/// How many ranks the process was started as one of, as MPI's launchers tell; 1 without one.
int started_ranks();

/// Silences all ranks but the first, as far as the launcher tells which one this is.
void let_one_rank_speak();

/// Joins the others where there are any, before any other thread begins; null where there are none.
/// All ranks but the first are silent. Throws UsageError where MPI is not there.
network::Ranks* join_ranks();

/// The ranks that join_ranks() has joined, or null.
network::Ranks* ranks();

bool is_first_rank();

/// Whether something is true of a rank. All ranks ask together.
bool is_true_of_any(bool own);

/// Calls body(); of several ranks all do, and throw RankFailed when it throws on one of them.
template <class Body>
void together(const Body& body) {
  if (ranks())
    network::agree_after(*ranks(), tell, body);
  else
    body();
}

/// The sum of a number of every rank. All ranks ask together.
std::uint64_t sum_of_ranks(std::uint64_t own);

/// Threads that this rank may keep busy.
int available_threads();

/// Leaves them in order, when all do.
void leave_ranks();

}  // namespace hillock::command
