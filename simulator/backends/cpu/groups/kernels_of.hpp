#pragma once
// The loops of a group's mechanisms.

#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// Of each block. Those of the model's own mechanisms are compiled here, where nobody has yet.
/// Throws as mechanisms::make_ready().
std::vector<const mechanisms::CpuKernels*> kernels_of(const GroupLayout& group,
                                                      mechanisms::Arithmetic arithmetic);

}  // namespace hillock::simulator::cpu
