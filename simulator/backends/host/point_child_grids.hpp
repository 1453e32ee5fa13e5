#pragma once
// What child_grids.cu does, as the host does it.

#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/host/child_grids.hpp"

namespace on_host {

/// Brings the spikes of a step to their synapses by the grids of a queue.
void pass_by_grids(const hillock::simulator::on_device::PointNetwork& network, long long step,
                   long long first, bool by_block, ChildGridQueue& grids);

}  // namespace on_host
