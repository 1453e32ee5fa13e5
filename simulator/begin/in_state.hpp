#pragma once
// Which of a mechanism's and an ion's numbers are part of a run's state, on every engine.

#include <cstddef>
#include <string>

#include "mechanisms/runtime/info.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::begin {

/// Whether a mechanism's being on a cell means that the ion's numbers there are part of the state.
bool keeps_ion(const mechanisms::MechanismInfo& info, const std::string& ion,
               IonPlan::KeptBy kept_by);

/// Whether a mechanism's variable is part of the state. What is assigned is either set once, before
/// the run, or an output, which is kept where someone records it; a POINTER may write to it.
/// is_pointed_at: whether a POINTER or a gap junction looks at the mechanism on that cell. What is
/// assigned on others depends on who shares their group.
bool is_in_state(const mechanisms::MechanismInfo& info, std::size_t variable,
                 const RunConstants& run, bool is_pointed_at);

}  // namespace hillock::simulator::begin
