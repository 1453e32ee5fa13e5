#pragma once
// What a time step of cells is: its parts, in their order, and whose turn is when. For any engine;
// includes no standard header, so that NVRTC can compile it.
//
// An executor has some cells, and knows where their numbers lie and how many of them are worked on
// at once. A row is one unknown: v, a potential at the step's beginning, and x, what the step makes
// of it. A node has one row, or several where potentials outside its membrane are unknown, too
// (solver/layer_block.hpp). An executor has
//   using Real = ...;                numbers of the cable
//   double dt_ms() const;
//   double time_ms(step), middle_ms(step) const;  at its beginning and middle, as mechanisms see it
//   void deliver(step);              what arrives at the boundary before it
//   void play(time_ms);              tables into parameters, for currents and then for states
//   bool is_sampled(step);           whether something is recorded at the boundary before it
//   bool has_begun() const;          whether the last step's advance() began this one's rows
//   void begin_ions();               no current yet; reversal potentials of the concentrations
//   void begin_rows(time_ms, keeps);         C/dt v, and what never changes
//   void add_currents<Turn>(time_ms, keeps); of mechanisms of that turn, density or point
//   void add_fields(time_ms, keeps);         of potentials outside, as from electrodes
//   void keep_constant(time_ms);     what is recorded of currents that never change
//   bool solve_rows();               for x; false where some are not finite
//   void begin_again();              forgets that solve
//   void tell_what_spoils(step);     names the first row that the solve would spoil
//   void for_unknowns(body);         body(row), whose v(row) and x(row) it may read and set
//   void detect(step);               spikes in the step that ends there (detector.hpp)
//   void take_voltages(settles);     v becomes x; settles: what is negligible becomes 0
//   void settle();                   the same of states
//   void advance<Turn>(end_ms, next);        states of that turn; next: the step that follows
//   void diffuse();                  states along the cable, over dt
//   void sample(step);               writes what is recorded at the boundary before it
//   bool follows_gaps() const;       whether some states wait for the values of gap junctions
// and what instance_events.hpp, membrane.hpp and its integrator ask for. All times are in ms.

#include "core/simd/targets.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/step/membrane.hpp"

namespace hillock::simulator::step {

/// When the states of a mechanism go on, and when its current is added to the rows.
enum class Turn {
  never,    ///< its current never changes, and is part of the rows' constants
  ions,     ///< states before all others, as in NEURON: it sets what ions have, or takes in their
            ///< currents, which the next step begins afresh
  density,  ///< then density mechanisms
  point,    ///< then point processes
  gaps,     ///< its states depend on the values of gap junctions at the step's end
};

/// What is known of a mechanism on some cells.
struct TurnFacts {
  bool is_constant, prepares_ions, follows_gaps, is_point_process;
};

HILLOCK_FUNCTION constexpr Turn turn_of_states(const TurnFacts& facts) {
  return facts.prepares_ions  ? Turn::ions
         : facts.is_constant  ? Turn::never
         : facts.follows_gaps ? Turn::gaps
                              : (facts.is_point_process ? Turn::point : Turn::density);
}
HILLOCK_FUNCTION constexpr Turn turn_of_current(const TurnFacts& facts) {
  return facts.is_constant ? Turn::never : facts.is_point_process ? Turn::point : Turn::density;
}

/// The boundary before a step.
HILLOCK_FUNCTION double boundary_ms(long long step, double dt_ms) {
  return static_cast<double>(step) * dt_ms;
}

/// The rows of the matrix from v and states: (C/dt + G) v' = C/dt v + g v - i. keeps: whether what
/// currents leave behind is recorded.
template <class Cells>
HILLOCK_FUNCTION void assemble(Cells& cells, double time_ms, bool keeps) {
  if (!cells.has_begun()) {
    cells.begin_ions();
    cells.begin_rows(time_ms, keeps);
    cells.template add_currents<Turn::density>(time_ms, keeps);
  }
  cells.template add_currents<Turn::point>(time_ms, keeps);
  cells.add_fields(time_ms, keeps);
  if (keeps) cells.keep_constant(time_ms);
}

/// A step of cells up to its solve; is_sampled: whether something is recorded at its end; false
/// where a voltage is not finite.
template <class Integrator, class Cells>
HILLOCK_FUNCTION bool begin_step(Cells& cells, long long step, bool is_sampled) {
  const double now_ms = cells.middle_ms(step);
  cells.deliver(step);
  cells.play(now_ms);
  for (bool is_searching = false;; is_searching = true) {
    assemble(cells, now_ms, is_sampled);
    if (is_searching) {
      cells.tell_what_spoils(step);
      return false;
    }
    if (Integrator::solve(cells)) return true;
    cells.begin_again();  // v and the states still are those before the solve
  }
}

/// The rest of it. In between, what a wiring ties together takes part in the solution.
template <class Integrator, class Cells>
HILLOCK_FUNCTION void end_step(Cells& cells, long long step, bool is_sampled) {
  const double now_ms = cells.middle_ms(step);
  if (is_sampled) keep_membrane_currents(cells, now_ms);
  Integrator::finish(cells, now_ms);
  cells.detect(step + 1);
  const bool settles = (step + 1) % mechanisms::settling_interval == 0;
  cells.take_voltages(settles);
  if (settles) cells.settle();
  const double end_ms = cells.time_ms(step + 1);
  cells.play(end_ms);
  cells.template advance<Turn::ions>(end_ms, step + 1);
  cells.template advance<Turn::density>(end_ms, step + 1);
  cells.template advance<Turn::point>(end_ms, step + 1);
  cells.diffuse();
  if (is_sampled && !cells.follows_gaps()) cells.sample(step + 1);
}

/// One step of cells; false where a voltage is not finite.
template <class Integrator, class Cells>
HILLOCK_FUNCTION bool take_step(Cells& cells, long long step) {
  const bool is_sampled = cells.is_sampled(step + 1);
  if (!begin_step<Integrator>(cells, step, is_sampled)) return false;
  end_step<Integrator>(cells, step, is_sampled);
  return true;
}

/// The rest of a step that ends at the boundary before `step`, when the values that gap junctions
/// have there are exchanged.
template <class Cells>
HILLOCK_FUNCTION void follow_gaps(Cells& cells, long long step) {
  cells.template advance<Turn::gaps>(cells.time_ms(step), step);
  if (cells.is_sampled(step)) cells.sample(step);
}

}  // namespace hillock::simulator::step
