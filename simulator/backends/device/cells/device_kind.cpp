// What a program comes to on the device: what that says of its kernel, not what one would expect.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "simulator/backends/device/cells/device_program.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

/// Blocks that run on a multiprocessor at once.
int DeviceProgram::blocks_at_once(device::Kernel kernel) const {
  return device::blocks_at_once(kernel, grid());
}

/// Throws DeviceExhausted when not one block of the kernel fits onto a multiprocessor.
void DeviceProgram::check_launch(device::Kernel kernel) const {
  if (blocks_at_once(kernel) > 0) return;
  const device::KernelNeed need = device::need_of(kernel);
  const device::Machine machine = device::machine();
  throw solver::DeviceExhausted(fmt::format(
      "the GPU cannot start the kernel of {}: a block of {} threads needs {} registers each and {} "
      "bytes of shared memory, and a multiprocessor has {} registers and {} bytes. On the CPU the "
      "model runs (--backend cpu)",
      cells_.population->name, shape_.block_threads, need.registers,
      shape_.shared_bytes() + need.shared_bytes, machine.registers, machine.shared_bytes));
}

DeviceKind DeviceProgram::describe_kind() const {
  const device::KernelNeed need = device::need_of(run_epoch_);
  const device::Machine machine = device::machine();
  DeviceKind kind;
  kind.population = cells_.population->name;
  for (const mechanisms::Mechanism* mechanism : cells_.mechanisms)
    if (std::ranges::find(kind.mechanisms, mechanism->signature.name) == kind.mechanisms.end())
      kind.mechanisms.push_back(mechanism->signature.name);
  kind.cells = cell_count();
  kind.rows = std::accumulate(row_counts_.begin(), row_counts_.end(), std::uint64_t{0});
  const auto [fewest, most] = std::ranges::minmax(row_counts_);
  kind.fewest_rows = static_cast<int>(fewest);
  kind.most_rows = static_cast<int>(most);
  kind.threads = shape_.team;
  kind.solver = describe_solver(shape_);
  kind.registers = need.registers;
  kind.local_bytes = need.local_bytes;
  kind.shared_bytes = shape_.shared_bytes() + need.shared_bytes;
  kind.block_threads = shape_.block_threads;
  kind.blocks = blocks_at_once(run_epoch_);
  kind.warps = kind.blocks * ((shape_.block_threads + machine.warp - 1) / machine.warp);
  kind.most_warps = machine.threads / machine.warp;
  kind.cells_at_once = static_cast<std::uint64_t>(kind.blocks) *
                       static_cast<std::uint64_t>(teams_of_block()) *
                       static_cast<std::uint64_t>(machine.multiprocessors);
  kind.bytes = bytes_;
  return kind;
}

}  // namespace hillock::simulator::on_device
