#include "simulator/backends/cpu/groups/kernels_of.hpp"

#include <algorithm>

#include "mechanisms/load/loader.hpp"
#include "simulator/threads/core_binding.hpp"

namespace hillock::simulator::cpu {

std::vector<const mechanisms::CpuKernels*> kernels_of(const GroupLayout& group,
                                                      mechanisms::Arithmetic arithmetic) {
  std::vector<const mechanisms::Mechanism*> own;
  for (const MechanismBlock& block : group.blocks)
    if (block.mechanism->own_loops) own.push_back(block.mechanism);
  if (!own.empty()) on_all_cores([&] { mechanisms::make_ready(own, group.lanes, arithmetic); });
  std::vector<const mechanisms::CpuKernels*> kernels;
  for (const MechanismBlock& block : group.blocks)
    kernels.push_back(&block.mechanism->kernels(group.lanes, active_isa(), arithmetic));
  return kernels;
}

}  // namespace hillock::simulator::cpu
