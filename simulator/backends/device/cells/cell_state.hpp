#pragma once
// What changes of cells during a run, in the model's terms: what backends/cpu/model_order.hpp and
// event_state.cpp do for groups of lanes.

#include <span>

#include "core/state/state_walk.hpp"
#include "simulator/backends/device/cells/assembly.hpp"

namespace hillock::simulator::on_device {

/// Saves or restores cells, in the order of the ranges. programs: [program] its cells.
void walk_cells(StateWalk& state, const RunConstants& run,
                std::span<const std::unique_ptr<RangeEvents>> ranges,
                std::span<Cells* const> programs);

}  // namespace hillock::simulator::on_device
