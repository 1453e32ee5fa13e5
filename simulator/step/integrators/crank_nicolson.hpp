#pragma once
// crank_nicolson, staggered as NEURON's secondorder = 2: half an implicit step, then as far again
// along the same slope.
//
// Of an executor it asks
//   int ion_turns() const;                  ions are moved all at once, or in so many turns
//   void set_currents_aside(turn);          their currents, which begin anew
//   void add_ion_currents(turn, secant, time_ms);   at v + secant, to nothing but these
//   void for_ion_currents_of(turn, body);   body(row, what was set aside, current)
//   void forget_aside();                    after the last turn

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

struct CrankNicolson {
  static constexpr const char* type = "CrankNicolson";
  static constexpr const char* header = "crank_nicolson.hpp";
  static constexpr double implicit_steps = 0.5;
  static constexpr bool extrapolates = true;

  template <class Cells>
  HILLOCK_FUNCTION static bool solve(Cells& cells) {
    return cells.solve_rows();
  }
  template <class Cells>
  HILLOCK_FUNCTION static void finish(Cells& cells, double middle_ms) {
    move_ion_currents(cells, middle_ms);
    cells.for_unknowns([&](auto row) { cells.x(row) = 2 * cells.x(row) - cells.v(row); });
  }

 private:
  /// What gathers an ion's current does so with that of the step's middle, whose voltages x holds:
  /// moved there from the step's beginning along its slope, as the membrane's charge was, and as in
  /// NEURON.
  template <class Cells>
  HILLOCK_FUNCTION static void move_ion_currents(Cells& cells, double middle_ms) {
    using Real = typename Cells::Real;
    constexpr Real secant_mV =
        sizeof(Real) >= sizeof(double) ? Real(1e-3) : Real(0.125);  // the first NEURON's
    for (int turn = 0; turn < cells.ion_turns(); ++turn) {
      cells.set_currents_aside(turn);
      cells.add_ion_currents(turn, secant_mV, middle_ms);
      cells.for_ion_currents_of(turn, [&](auto row, auto begun, auto& current) {
        const Real v = cells.v(row), beside = v + secant_mV;
        current = begun + (current - begun) / (beside - v) * (cells.x(row) - v);
      });
    }
    if (cells.ion_turns() > 0) cells.forget_aside();
  }
};

}  // namespace hillock::simulator::step
