#pragma once
// Cells with a membrane and artificial cells that take events, on a device: programs of cells that
// share their mechanisms, one kernel an epoch each.

#include <memory>

#include "simulator/backends/device/memory/engine_part.hpp"

namespace hillock::simulator::on_device {

/// As make_engine(), of all cells that are no point neurons.
std::unique_ptr<Engine> make_cell_engine(NetworkPlan& plan, EnginePart part,
                                         const EngineOptions& options);

}  // namespace hillock::simulator::on_device
