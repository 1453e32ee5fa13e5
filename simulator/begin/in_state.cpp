#include "simulator/begin/in_state.hpp"

#include <algorithm>

namespace hillock::simulator::begin {

bool keeps_ion(const mechanisms::MechanismInfo& info, const std::string& ion,
               IonPlan::KeptBy kept_by) {
  return std::any_of(info.couplings, info.couplings + info.coupling_count,
                     [&](const mechanisms::Coupling& coupling) {
                       return coupling.ion == ion &&
                              (kept_by != IonPlan::KeptBy::stirring || coupling.stirs_ion());
                     });
}

bool is_in_state(const mechanisms::MechanismInfo& info, std::size_t variable,
                 const RunConstants& run, bool is_pointed_at) {
  const auto number = static_cast<int>(variable);
  return run.saves_assigned || is_pointed_at || number < info.first_assigned() ||
         number >= info.first_state();
}

}  // namespace hillock::simulator::begin
