#pragma once
// A group of cells integrated on one core: a cell a lane, a whole epoch at a time.

#include <memory>

#include "simulator/cell_group.hpp"

namespace hillock::simulator::cpu {

/// plan.lanes must be 1, 4 or 8. epoch_steps: the longest that advance() is asked for.
std::unique_ptr<CellGroup> make_cell_group(GroupPlan plan, const RunConstants& run,
                                           std::int64_t epoch_steps);

}  // namespace hillock::simulator::cpu
