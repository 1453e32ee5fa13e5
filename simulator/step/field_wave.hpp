#pragma once
// How a potential outside cells goes in time. For any engine; includes no standard header, so that
// NVRTC can compile it.

#include "core/random/normal_pair.hpp"
#include "core/simd/targets.hpp"
#include "mechanisms/runtime/electrode.hpp"

namespace hillock::simulator::step {

struct FieldWave {
  enum class Kind {
    pulses,  ///< mechanisms::ElectrodePulses
    sine,    ///< amplitude · sin + offset during one of them
    table,   ///< whoever has this has the table
  };
  Kind kind = Kind::pulses;
  double amplitude = 0, slope = 0, start_ms = 0, duration_ms = 0, period_ms = 0, count = 1;
  double offset = 0, phase_turns = 0, turns_per_ms = 0;

  friend bool operator==(const FieldWave&, const FieldWave&) = default;
};

/// Of pulses and sines.
HILLOCK_FUNCTION double wave_at(const FieldWave& wave, double time_ms) {
  if (wave.kind == FieldWave::Kind::pulses)
    return mechanisms::pulse_current(
        {wave.amplitude, wave.slope, wave.start_ms, wave.duration_ms, wave.period_ms, wave.count},
        time_ms);
  if (time_ms < wave.start_ms || time_ms >= wave.start_ms + wave.duration_ms) return 0;
  const double turns = wave.phase_turns + wave.turns_per_ms * (time_ms - wave.start_ms);
  return wave.amplitude * sine_and_cosine(4 * turns).first + wave.offset;
}

}  // namespace hillock::simulator::step
