#pragma once
// Cells on a device that are to be gone back over. A build without CUDA has backends/none in its
// place.

#include <memory>

#include "simulator/backends/taped/taped_batch.hpp"

namespace hillock::simulator::on_device {

/// As taped::MakeBatch. Throws solver::DeviceUnusable, solver::DeviceError, KernelRefused, and
/// solver::DeviceExhausted where the device has too little memory.
std::unique_ptr<taped::TapedBatch> make_taped_batch(const taped::BatchOfCells& batch);

}  // namespace hillock::simulator::on_device
