#pragma once
// Point neurons on a device, where spikes reach them without the host.

#include <memory>

#include "simulator/backends/device/memory/engine_part.hpp"

namespace hillock::simulator::on_device {

/// As make_engine(), of all point neurons. EngineTraits::free_steps is as if there were no other
/// cells.
std::unique_ptr<Engine> make_point_engine(NetworkPlan& plan, EnginePart part,
                                          const EngineOptions& options);

}  // namespace hillock::simulator::on_device
