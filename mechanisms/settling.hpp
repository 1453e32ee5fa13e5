#pragma once
// What decays without end: from where on it is 0, and at which steps that is looked at. A number
// that halves for ever ends among the denormal ones, which many processors multiply a hundred times
// more slowly and which rounding never lets reach 0 (docs/decisions/0012). Every backend does the
// same.

#include "mechanisms/runtime/info.hpp"

namespace hillock::mechanisms {

/// Below this nothing in a cell can tell a number from 0, whatever its unit. Its fourth power is no
/// denormal number yet.
inline constexpr double negligible = 1e-60;

/// Every so many steps of a run what is negligible becomes 0, before states are advanced.
inline constexpr int settling_interval = 64;

/// 0 for what is negligible, else the number itself, NaN included.
HILLOCK_FUNCTION constexpr double settled(double number) {
  const bool above = number > -negligible, below = number < negligible;
  return (above & below) ? 0.0 : number;  // without a branch
}

/// The first of an instance's variables that settle: states, and whatever else lasts from step to
/// step and is the mechanism's to change.
HILLOCK_FUNCTION constexpr int first_settled(const MechanismInfo& info) {
  if (info.changes_parameters) return 0;
  return info.changes_in_current ? info.first_assigned() : info.first_state();
}

}  // namespace hillock::mechanisms
