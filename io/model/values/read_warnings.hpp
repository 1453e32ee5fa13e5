#pragma once
// What is legal in a model, changes nothing in the run, and is probably a mistake.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Warns where what `item` sets begins when the run is over; `first_ms` is the earliest it can.
void warn_of_late_start(const ReadContext& context, const Item& item,
                        const std::optional<double>& first_ms);

/// Warns of cells and populations that nothing uses.
void warn_of_unused(const ReadContext& context);

/// Warns where the distance between cells or the position of a cell counts, and populations have no
/// positions. For a model without errors.
void warn_of_missing_positions(const ReadContext& context);

/// Warns where NEURON would overwrite a reversal potential that the model gives: a mechanism there
/// reads or writes a concentration of the ion. For a model without errors.
void warn_of_overwritten_reversals(const ReadContext& context);

/// Warns of a step of the run that is long for channels of a membrane.
void warn_of_long_steps(const ReadContext& context);

}  // namespace hillock::io
