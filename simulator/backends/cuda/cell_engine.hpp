#pragma once
// Cells with a membrane and artificial cells that take events, on a device: programs of cells that
// share their mechanisms, one kernel an epoch each.

#include <memory>

#include "simulator/backends/cuda/cuda_engine.hpp"
#include "simulator/backends/cuda/engine_part.hpp"

namespace hillock::simulator::cuda {

/// As make_engine(), of all cells that are no point neurons.
std::unique_ptr<Engine> make_cell_engine(NetworkPlan& plan, EnginePart part,
                                         const EngineOptions& options);

}  // namespace hillock::simulator::cuda
