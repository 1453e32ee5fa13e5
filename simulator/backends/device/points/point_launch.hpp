#pragma once
// How kernels of point neurons are launched.

#include <initializer_list>

#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

/// Launches blocks of point_block_threads threads; without blocks nothing. arguments: their
/// addresses. Throws solver::DeviceError.
void launch_points(device::Stream stream, device::Kernel kernel, unsigned blocks,
                   std::initializer_list<void*> arguments);

}  // namespace hillock::simulator::on_device
