#pragma once
// Random numbers that a run is given. Includes no standard header, so that NVRTC can compile it.

namespace hillock::mechanisms {

/// What scop_random, normrand and exprand give in place of draws of their own: uniform numbers, and
/// normal ones for normrand, all of a run's. An instance takes one after the other, from where its
/// count of draws begins.
struct GivenDraws {
  const double* numbers = nullptr;
  unsigned long long count = 0;
};

}  // namespace hillock::mechanisms
