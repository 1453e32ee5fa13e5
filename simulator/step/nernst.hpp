#pragma once
// The reversal potential that follows an ion's concentrations. For any engine; includes no standard
// header, so that NVRTC can compile it.

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::simulator::step {

/// factor_mV: RT/(zF). Without an ion on one side ±1e6 mV, NEURON's number for no end.
HILLOCK_FUNCTION double nernst_mV(double factor_mV, double inside_mM, double outside_mM) {
  if (inside_mM <= 0) return 1e6;
  if (outside_mM <= 0) return -1e6;
  return factor_mV * mechanisms::log<double>(outside_mM / inside_mM);
}

}  // namespace hillock::simulator::step
