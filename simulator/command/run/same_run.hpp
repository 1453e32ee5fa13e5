#pragma once
// Whether all ranks were started on the same run.

#include "io/run/checkpoint.hpp"

namespace hillock::command {

/// All ranks ask together. Throws RankFailed on all where one has another version of Hillock, other
/// inputs or other options than the first.
void check_same_run(const io::RunIdentity& identity);

}  // namespace hillock::command
