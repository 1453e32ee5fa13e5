#pragma once
// Spike-timing-dependent plasticity of one synapse, on host and device: what its two neurons'
// spikes make of its weight. Time is counted in steps, and is that of the target neuron: a spike of
// the source comes to the synapse `shift` steps after it was fired, before it where a dendrite
// delays the target's. Includes no standard header, so that NVRTC can compile it.

#include "mechanisms/runtime/runtime.hpp"
#include "simulator/plasticity/past_spikes.hpp"

namespace hillock::simulator::inline HILLOCK_ISA {

struct StdpRule {
  double plus_rate = 0, minus_rate = 0;  ///< a step's part of tau_plus, tau_minus
  double lambda = 0, minus_lambda = 0;   ///< minus_lambda: alpha·lambda
  double mu_plus = 0, mu_minus = 0;
  double w_max = 0;
  bool is_nearest = false;
  /// Whether the delay is axonal. Of a source's and a target's spike that meet at the synapse in
  /// one step the source's is then the first, else the target's. They make no pair.
  bool is_axonal = false;
  /// What a trace decays by in so many steps: the first `known_steps`; null: computed each time.
  const double *plus_decay = nullptr, *minus_decay = nullptr;
  long long known_steps = 0;

  HILLOCK_FUNCTION long long shift(long long delay) const { return is_axonal ? delay : -delay; }
  /// The last step whose target's spikes have been dealt with when a source's spike comes.
  HILLOCK_FUNCTION long long last_before(long long arrival) const {
    return is_axonal ? arrival - 1 : arrival;
  }
  /// Up to which step a target's spikes may be dealt with before anything arrives at the neuron at
  /// step `now` or later.
  HILLOCK_FUNCTION long long settled_until(long long now, long long delay) const {
    return now - 1 - (is_axonal ? 0 : 2 * delay);
  }

  /// Below this a trace is nothing.
  static constexpr double longest_decay = 138;  // e^-138 is 1e-60
  HILLOCK_FUNCTION static double decay_of(double rate, long long steps) {
    const double in_tau = rate * static_cast<double>(steps);
    return in_tau > longest_decay ? 0.0 : mechanisms::exp<double>(0.0 - in_tau);
  }
  HILLOCK_FUNCTION double plus(long long steps) const {
    return plus_decay && steps < known_steps ? plus_decay[steps] : decay_of(plus_rate, steps);
  }
  HILLOCK_FUNCTION double minus(long long steps) const {
    return minus_decay && steps < known_steps ? minus_decay[steps] : decay_of(minus_rate, steps);
  }
  /// The trace right after a spike.
  HILLOCK_FUNCTION double after(double before) const { return is_nearest ? 1.0 : before + 1.0; }
  /// The next spike of a source, or of a target.
  HILLOCK_FUNCTION PastSpike next_source(const PastSpike& last, long long step) const {
    return {step, last.is_there() ? after(last.before) * plus(step - last.step) : 0.0};
  }
  HILLOCK_FUNCTION PastSpike next_target(const PastSpike& last, long long step) const {
    return {step, last.is_there() ? after(last.before) * minus(step - last.step) : 0.0};
  }

  HILLOCK_FUNCTION double potentiated(double weight, double trace) const {
    const double most = mu_plus == 0.0 ? w_max
                        : mu_plus == 1.0
                            ? w_max - weight
                            : w_max * mechanisms::pow<double>(1.0 - weight / w_max, mu_plus);
    const double more = weight + lambda * most * trace;
    return (w_max > 0.0 ? more > w_max : more < w_max) ? w_max : more;
  }
  HILLOCK_FUNCTION double depressed(double weight, double trace) const {
    const double most = mu_minus == 0.0 ? w_max
                        : mu_minus == 1.0
                            ? weight
                            : w_max * mechanisms::pow<double>(weight / w_max, mu_minus);
    const double less = weight - minus_lambda * most * trace;
    return (w_max > 0.0 ? less < 0.0 : less > 0.0) ? 0.0 : less;
  }

  /// The weight after the target's spikes at steps in (after_step, until]. source: the last spike
  /// that came to the synapse before, at source.step + shift.
  HILLOCK_FUNCTION double settled(double weight, const PastSpikesView& targets, unsigned target,
                                  const PastSpike& source, long long shift, long long after_step,
                                  long long until) const {
    if (!source.is_there()) return weight;
    const long long came = source.step + shift;
    const long long begin = last_before(came) > after_step ? last_before(came) : after_step;
    const unsigned end = targets.count_until(target, until);
    unsigned number = end;
    const unsigned least = targets.oldest(target);
    while (number > least && targets.at(target, number - 1).step > begin) --number;
    for (; number < end; ++number) {
      const long long later = targets.at(target, number).step - came;
      weight = potentiated(weight, later == 0 ? source.before : after(source.before) * plus(later));
    }
    return weight;
  }
  /// The weight after a source's spike that comes to the synapse at step `came`, when settled.
  HILLOCK_FUNCTION double passed(double weight, const PastSpikesView& targets, unsigned target,
                                 long long came) const {
    const unsigned count = targets.count_until(target, came - 1);
    if (count == targets.oldest(target)) return weight;
    const PastSpike& last = targets.at(target, count - 1);
    return depressed(weight, after(last.before) * minus(came - last.step));
  }
};

}  // namespace hillock::simulator::inline HILLOCK_ISA
