#pragma once
// A run that cannot fit into memory is refused before it begins.

#include "core/errors/errors.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "simulator/ranks/rank_loads.hpp"

namespace hillock::command {

/// What a run would take is clearly more than there is (exit code 6).
class TooLarge : public Error {
  using Error::Error;
};

/// Compares what a run on the CPU is expected to take with what is free: of the ranks of one
/// machine together with what this has, of each with the addresses that it may use. No matter how
/// much cells spike, and a fifth more than there is passes. Costs little where a coarse bound fits.
/// All ranks call it together; TooLarge of one is RankFailed on all. load: of this rank.
/// is_checked: otherwise nothing is compared.
void refuse_what_cannot_fit(const LoadedModel& model, const simulator::RankLoadOptions& load,
                            bool is_checked);

}  // namespace hillock::command
