#pragma once
// What a time step of point neurons is. They have steps of their own, each a whole number of the
// run's. For any engine; includes no standard header, so that NVRTC can compile it.
//
// An executor has some neurons, and knows where their numbers lie. It has
//   long long run_steps() const;     one of its steps takes so many of the run's
//   double dt_ms() const;            of its own
//   static constexpr bool spikes_at_beginning;  what the mechanism says: as NEST's, of a step
//   void take_inputs(own);           what arrives before step `own`, and what stimuli give in it
//   bool advance(end_ms, settles, is_checked);  what is negligible becomes 0 where it settles, then
//                                    variables go on, and those that spike are known; false where
//                                    one is checked and not finite
//   void check_finite(step);         tells of the first that is not, after that step of the run

#include "core/simd/targets.hpp"
#include "mechanisms/settling.hpp"

namespace hillock::simulator::step {

/// Which of its own steps ends with a step of the run; -1: none.
HILLOCK_FUNCTION long long own_step(long long step, long long run_steps) {
  if (run_steps == 1) return step;
  return (step + 1) % run_steps == 0 ? (step + 1) / run_steps - 1 : -1;
}

/// A step of the run. is_kept: whether what is there after it is kept.
template <class Neurons>
HILLOCK_FUNCTION void take_point_step(Neurons& neurons, long long step, bool is_kept) {
  const long long own = own_step(step, neurons.run_steps());
  if (own < 0) {
    if (is_kept) neurons.check_finite(step);
    return;
  }
  neurons.take_inputs(own);
  const bool settles = (own + 1) % mechanisms::settling_interval == 0;
  const double end_ms = static_cast<double>(own + 1) * neurons.dt_ms();
  if (!neurons.advance(end_ms, settles, settles || is_kept)) neurons.check_finite(step);
}

/// The boundary whose time a spike has that its neuron made in a step, in the run's steps: that at
/// the end of its own step or, as NEST has it for some, at the beginning.
HILLOCK_FUNCTION long long spike_boundary(long long step, long long run_steps, bool at_beginning) {
  return step + 1 - (at_beginning ? run_steps : 0);
}

}  // namespace hillock::simulator::step
