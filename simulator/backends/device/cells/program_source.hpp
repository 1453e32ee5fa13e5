#pragma once
// The text of a kernel for the mechanisms of some cells.

#include "simulator/backends/device/cells/launch_shape.hpp"
#include "simulator/backends/device/compiler/program_text.hpp"

namespace hillock::simulator::on_device {

/// The kernels are run_epoch(Arrays<Program>, long long first, long long last, EpochEvents) and
/// take_samples(Arrays<Program>, long long step).
ProgramSource write_program(const Signature& signature, const Cells& cells,
                            const LaunchShape& shape, models::Integrator integrator);

}  // namespace hillock::simulator::on_device
