#pragma once
// Reads the electrodes of a stimulus: iclamp and seclamp.

#include <optional>

#include "io/model/read_context.hpp"

namespace hillock::io {

/// One pulse, a train, a ramp or a waveform. Where it stands is read by the caller.
std::optional<models::CurrentClamp> read_current_clamp(ReadContext& context, const Item& item);

std::optional<models::VoltageClamp> read_voltage_clamp(ReadContext& context, const Item& item);

}  // namespace hillock::io
