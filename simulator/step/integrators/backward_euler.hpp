#pragma once
// backward_euler: the implicit solve is the step.

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

struct BackwardEuler {
  static constexpr const char* type = "BackwardEuler";
  static constexpr const char* header = "backward_euler.hpp";
  /// So many steps lie between where a step begins and where its solve leads.
  static constexpr double implicit_steps = 1;
  /// Whether a step goes beyond where its solve leads.
  static constexpr bool extrapolates = false;

  template <class Cells>
  HILLOCK_FUNCTION static bool solve(Cells& cells) {
    return cells.solve_rows();
  }
  template <class Cells>
  HILLOCK_FUNCTION static void finish(Cells&, double) {}
};

}  // namespace hillock::simulator::step
