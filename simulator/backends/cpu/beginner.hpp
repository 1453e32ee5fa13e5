#pragma once
// INITIAL in the CPU's loops, for engines that go on elsewhere.

#include "simulator/begin/beginner.hpp"

namespace hillock::simulator::cpu {

const begin::Beginner& beginner();

}  // namespace hillock::simulator::cpu
