#pragma once
// A group of one cell, by block, variable and instance.

#include "simulator/backends/cpu/cells/cell_rows.hpp"
#include "simulator/backends/cpu/events/event_delivery.hpp"
#include "simulator/begin/begun_cell.hpp"

namespace hillock::simulator::cpu {

/// What the group, its rows and its events have of the cell; begin::add_numbers() and who has the
/// turns of its mechanisms say the rest.
begin::BegunCell begun_of(const GroupLayout& group, const CellRows& rows,
                          const EventDelivery& events, const LaneArray& membrane_nA);

}  // namespace hillock::simulator::cpu
