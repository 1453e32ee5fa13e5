#pragma once
// What an electrode injects into a point neuron, on host and device: the currents of
// catalogue/iclamp.mod, and of tables.

#include "core/simd/targets.hpp"
#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// Pulse k of `count` begins at start + k·period and lasts `duration`; within it the current is
/// amplitude + slope·(time since the pulse began). Without a period there is one pulse.
struct ElectrodePulses {
  double amplitude, slope, start_ms, duration_ms, period_ms, count;
};

HILLOCK_FUNCTION double pulse_current(const ElectrodePulses& of, double time_ms) {
  double pulse = 0;
  if (of.period_ms > 0.0) {
    pulse = floor<double>((time_ms - of.start_ms) / of.period_ms);
    if (pulse > of.count - 1.0) pulse = of.count - 1.0;
    if (pulse < 0.0) pulse = 0.0;
  }
  const double begin_ms = of.start_ms + pulse * of.period_ms;
  if (time_ms < begin_ms || time_ms >= begin_ms + of.duration_ms) return 0.0;
  return of.amplitude + of.slope * (time_ms - begin_ms);
}

/// Rows of a table, linear between them and 0 before the first and after the last. time_of(row),
/// value_of(row): times never fall.
template <class TimeOf, class ValueOf>
HILLOCK_FUNCTION double table_current(int rows, const TimeOf& time_of, const ValueOf& value_of,
                                      double time_ms) {
  int after = 0, end = rows;  // the first row after the time
  while (after < end) {
    const int middle = (after + end) / 2;
    if (time_ms < time_of(middle))
      end = middle;
    else
      after = middle + 1;
  }
  if (after == 0 || after == rows) return 0.0;
  const double t0 = time_of(after - 1), t1 = time_of(after);
  const double y0 = value_of(after - 1), y1 = value_of(after);
  return y0 + (time_ms - t0) / (t1 - t0) * (y1 - y0);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
