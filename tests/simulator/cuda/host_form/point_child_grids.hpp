#pragma once
// What child_grids.cu does, as the host does it.

#include "simulator/backends/cuda/device/point_views.hpp"
#include "tests/simulator/cuda/host_form/child_grids.hpp"

namespace host_form {

/// Brings the spikes of a step to their synapses by the grids of a queue.
void pass_by_grids(const hillock::simulator::cuda::PointNetwork& network, long long step,
                   long long first, bool by_block, ChildGridQueue& grids);

}  // namespace host_form
