#pragma once
// The text of the kernels for the point neurons of a network.

#include <span>

#include "mechanisms/catalogue.hpp"
#include "simulator/backends/cuda/program_source.hpp"

namespace hillock::simulator::cuda {

/// Threads of a block of these kernels.
inline constexpr unsigned point_block_threads = 256;

/// For neurons of these mechanisms, whose places are their kinds. The kernels, all of which begin
/// with a PointNetwork and then, where they advance neurons, pointers to the PointArrays of each
/// kind:
///   run_points(…, first, last, blocks, barriers)    all of steps [first, last), by a grid of
///       `blocks` that is on the device as a whole; barriers: how many blocks have waited before
///   advance_points(…, step, first)                  of one step: a warp a task
///   propagate_log(network, step, first, blocks)     its spikes, by a queue
///   propagate_given(network, spikes, count, first, from, blocks)   spikes from elsewhere, but what
///       arrives before step `from`
///   propagate_neurons(network, source, step)        N: a thread a neuron of a source
///   propagate_synapses(network, source, table, count, step)   S: a thread a synapse of a table
///   add_inputs(inputs, count)                       events of stimuli
///   take_samples(network, step, blocks)
ProgramSource write_points(std::span<const mechanisms::Mechanism* const> kinds);

}  // namespace hillock::simulator::cuda
