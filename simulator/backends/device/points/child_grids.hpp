#pragma once
// AP: grids that a device starts by itself for the spikes of a step. They are a library of their
// own (child_grids.cu), because their code slows other kernels when it is linked with them.

#include "simulator/backends/device/kernels/point_views.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

/// What became of the grids that were to be started on the device, in all steps.
struct ChildGridCounts {
  unsigned long long started, refused;  ///< refused: its work was done by who asked for it
};

/// What the library does. Each answers as device::check() takes it.
struct ChildGrids {
  std::size_t network_bytes;  ///< of a PointNetwork, as the library knows it
  /// How many grids may wait at once; before the first is started.
  int (*set_limit)(unsigned pending);
  /// The spikes of a step, of which there are at most `most`: a grid for each and every table, or
  /// one for those of a block of threads.
  int (*propagate)(const PointNetwork& network, long long step, long long first, unsigned most,
                   bool by_block, ChildGridCounts* counts, device::Stream stream);
};

/// The library's one symbol: a ChildGrids.
inline constexpr const char* child_grids_name = "hillock_child_grids";

/// Loads it. Throws solver::DeviceUnusable where it is not there.
const ChildGrids& load_child_grids();

}  // namespace hillock::simulator::on_device
