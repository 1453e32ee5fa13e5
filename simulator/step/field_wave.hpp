#pragma once
// How a potential outside cells goes in time. For any engine; includes no standard header, so that
// NVRTC can compile it.

#include "core/random/normal_pair.hpp"
#include "core/simd/targets.hpp"
#include "mechanisms/runtime/electrode.hpp"

namespace hillock::simulator::step {

struct FieldWave {
  enum class Kind {
    pulses,
    sine,   ///< amplitude · sin + offset during the first of the pulses
    table,  ///< whoever has this has the table
  };
  Kind kind = Kind::pulses;
  mechanisms::ElectrodePulses pulses{};
  double offset = 0, phase_turns = 0, turns_per_ms = 0;
};

/// Of pulses and sines.
HILLOCK_FUNCTION double wave_at(const FieldWave& wave, double time_ms) {
  const mechanisms::ElectrodePulses& of = wave.pulses;
  if (wave.kind == FieldWave::Kind::pulses) return mechanisms::pulse_current(of, time_ms);
  if (time_ms < of.start_ms || time_ms >= of.start_ms + of.duration_ms) return 0;
  const double turns = wave.phase_turns + wave.turns_per_ms * (time_ms - of.start_ms);
  return of.amplitude * sine_and_cosine(4 * turns).first + wave.offset;
}

}  // namespace hillock::simulator::step
