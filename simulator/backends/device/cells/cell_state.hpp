#pragma once
// What changes of cells during a run, in the model's terms: what layout/model_order.hpp and
// events/event_state.cpp of backends/cpu do for groups of lanes.

#include <span>

#include "core/state/state_walk.hpp"
#include "simulator/backends/device/cells/assembly.hpp"

namespace hillock::simulator::on_device {

/// Saves or restores cells, in the order of the ranges. programs: [program] its cells.
void walk_cells(StateWalk& state, const RunConstants& run,
                std::span<const std::unique_ptr<RangeEvents>> ranges,
                std::span<Cells* const> programs);

}  // namespace hillock::simulator::on_device
