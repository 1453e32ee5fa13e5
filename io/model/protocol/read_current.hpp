#pragma once
// Reads the electrodes of a stimulus: iclamp and seclamp.

#include <optional>
#include <string>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// One pulse, a train, a ramp or a waveform, of a current in that unit. Where it stands is read by
/// the caller.
std::optional<models::CurrentClamp> read_current_clamp(ReadContext& context, const Item& item,
                                                       const std::string& unit);

/// What of it is no waveform: the map's keys, or what is under `train` or `ramp`.
std::optional<models::CurrentClamp> read_pulses(ReadContext& context, MapReader& map,
                                                const std::string& unit);

std::optional<models::VoltageClamp> read_voltage_clamp(ReadContext& context, const Item& item);

}  // namespace hillock::io
