#include "simulator/plan/range/one_stimulus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/errors/errors.hpp"

namespace hillock::simulator {

OneStimulus::Period OneStimulus::period_of(const models::Period& of_model) {
  const Period period{value(of_model.start_ms, 13), value(of_model.stop_ms, 14)};
  if (period.stop_ms <= period.start_ms)
    reject(stimulus_.place,
           fmt::format("the stop {:.12g} ms for {} must be later than the start, {:.12g} ms",
                       period.stop_ms, draft_.identity().name(), period.start_ms));
  return period;
}

mechanisms::ElectrodePulses OneStimulus::pulses_of(const models::CurrentClamp& clamp) {
  mechanisms::ElectrodePulses pulses{.amplitude = value(clamp.amplitude, 0),
                                     .slope = 0,
                                     .start_ms = value(clamp.start_ms, 1),
                                     .duration_ms = value(clamp.duration_ms, 2),
                                     .period_ms = 0,
                                     .count = 1};
  if (clamp.kind == models::CurrentClamp::Kind::ramp) {
    if (pulses.duration_ms > 0)
      pulses.slope = (value(clamp.final_amplitude, 5) - pulses.amplitude) / pulses.duration_ms;
    return pulses;
  }
  pulses.period_ms = value(clamp.period_ms, 3);
  pulses.count = value(clamp.count, 4);
  const std::string name = draft_.identity().name();
  if (pulses.count != std::floor(pulses.count))
    reject(clamp.count.place(), fmt::format("the count {:.12g} for {} must be a whole number of "
                                            "pulses",
                                            pulses.count, name));
  if (pulses.count > 1 && pulses.period_ms < pulses.duration_ms)
    reject(
        stimulus_.place,
        fmt::format("the period {:.12g} ms for {} must not be shorter than the width, {:.12g} ms",
                    pulses.period_ms, name, pulses.duration_ms));
  return pulses;
}

const models::Waveform& OneStimulus::waveform_of(const models::CurrentClamp& clamp) {
  const double which = value(clamp.which, 6);
  const auto count = static_cast<double>(clamp.waveforms.size());
  if (!(which >= 0 && which < count) || which != std::floor(which))
    reject(clamp.which.place(),
           fmt::format("{} waveforms, but {} has number {:.12g} (whole numbers from 0)", count,
                       draft_.identity().name(), which));
  return clamp.waveforms[static_cast<std::size_t>(which)];
}

}  // namespace hillock::simulator
