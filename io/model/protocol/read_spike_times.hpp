#pragma once
// Reads the times of a `spikes` stimulus, written out or from a CSV file.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// `to` is checked against the file's cells when `to_known`.
std::optional<models::SpikeTimes> read_spike_times(ReadContext& context, const Item& item,
                                                   const models::PopulationSlice& to,
                                                   bool to_known);

}  // namespace hillock::io
