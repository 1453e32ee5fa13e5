#pragma once
// What is recorded, and when. For any engine; includes no standard header, so that NVRTC can
// compile it.

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

/// When a recording is sampled, in steps: at the boundaries first, first + every, ...
struct SampleTimes {
  long long first = 0;
  long long every = 1;
  long long count = 0;

  HILLOCK_FUNCTION bool contains(long long step) const { return sample_at(step) >= 0; }
  /// The sample taken at a boundary, or -1.
  HILLOCK_FUNCTION long long sample_at(long long step) const {
    if (step < first || (step - first) % every != 0) return -1;
    const long long sample = (step - first) / every;
    return sample < count ? sample : -1;
  }
  /// Samples that lie at boundaries up to and including `step`.
  HILLOCK_FUNCTION long long up_to(long long step) const {
    if (step < first) return 0;
    const long long n = (step - first) / every + 1;
    return n < count ? n : count;
  }
};

/// What one summand of a recorded value is.
enum class Summand {
  constant,          ///< its factor
  voltage,           ///< of a node
  membrane_current,  ///< of a node
  variable,          ///< its factor times that of a mechanism
  ion,               ///< its factor, 1, times what is kept of an ion at a node
};

/// What a summand now is. Cells has voltage(term), membrane_nA(term), number(term).
template <class Cells, class Term>
HILLOCK_FUNCTION double value_of(Cells& cells, const Term& term) {
  switch (term.kind) {
    case Summand::constant:
      return term.factor;
    case Summand::voltage:
      return cells.voltage(term);
    case Summand::membrane_current:
      return cells.membrane_nA(term);
    default:
      return term.factor * cells.number(term);
  }
}

/// A recorded value, of so many terms.
template <class Cells, class Term>
HILLOCK_FUNCTION double sum_of(Cells& cells, const Term* terms, unsigned long long count) {
  double sum = 0;
  for (unsigned long long k = 0; k < count; ++k) sum += value_of(cells, terms[k]);
  return sum;
}

}  // namespace hillock::simulator::step
