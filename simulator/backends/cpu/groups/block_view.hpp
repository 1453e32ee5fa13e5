#pragma once
// A block of instances as its mechanism's loops take it.

#include <cstddef>

#include "mechanisms/kernels.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// What points into a block, which must stay where it is.
mechanisms::InstanceBlock view_of(MechanismBlock& block, std::size_t lanes);

/// Sets the block's variables at t = 0, and its view, which may then speak of fewer columns. v: by
/// row and lane.
void initialise(MechanismBlock& block, mechanisms::InstanceBlock& view, std::size_t lanes,
                std::size_t packs, const mechanisms::CpuKernels& kernels,
                const mechanisms::KernelTime& start, const double* v);

/// What states of the block diffuse along the cables of its cells in a step. view: with what its
/// instances share. Cells of a group do not touch one another.
void diffuse(const MechanismBlock& block, const mechanisms::InstanceBlock& view, double dt_ms);

/// Sets to 0 what has become negligible of a block's variables.
void settle(MechanismBlock& block, std::size_t lanes);

}  // namespace hillock::simulator::cpu
