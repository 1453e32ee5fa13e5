#pragma once
// The reversal potential that follows an ion's concentrations. For any engine; includes no standard
// header, so that NVRTC can compile it.

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::simulator::step {

/// factor_mV: RT/(zF). Without an ion on one side ±1e6 mV, NEURON's number for no end.
/// V: double, or a pack of doubles.
template <class V = double>
HILLOCK_FUNCTION V nernst_mV(const V& factor_mV, const V& inside_mM, const V& outside_mM) {
  const V potential = factor_mV * mechanisms::log<V>(outside_mM / inside_mM);
  const V endless = V{} + 1e6;
  return mechanisms::select(inside_mM <= 0.0, endless,
                            mechanisms::select(outside_mM <= 0.0, -endless, potential));
}

}  // namespace hillock::simulator::step
