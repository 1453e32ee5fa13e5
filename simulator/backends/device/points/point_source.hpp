#pragma once
// The text of the kernels for the point neurons of a network.

#include <span>

#include "mechanisms/catalogue.hpp"
#include "simulator/backends/device/compiler/program_text.hpp"

namespace hillock::simulator::on_device {

/// Threads of a block of these kernels.
inline constexpr unsigned point_block_threads = 256;
/// Of a block of run_points, of which a multiprocessor has one.
inline constexpr unsigned point_threads_together = 768;
/// So many words of 8 bytes of PointNetwork's lists each block of run_points keeps near.
inline constexpr unsigned point_near_words = 4096;

/// For neurons of these mechanisms, whose places are their kinds. The kernels, all but
/// add_inputs of which begin with a PointNetwork and then, where they advance neurons, pointers to
/// the PointArrays of each kind:
///   run_points(…, first, last, kept, blocks, neuron_warps, near_words, stays_near)   all of steps
///       [first, last), by a grid of `blocks` that is on the device as a whole; neuron_warps: of a
///       block, where others pass spikes meanwhile; near_words: what the lists from the network's
///       sources on take, 0 where that is too much; stays_near: a block's own memory has room for
///       all variables of a neuron a thread that advances some
///   advance_points(…, step, first, kept)            of one step: a warp a task; kept: after which
///       step what is there is kept, and looked at
///   propagate_log(network, step, first, blocks)     its spikes, by a queue
///   begin_epoch(network, spikes, count, first, from, blocks)   counters are 0, and spikes from
///       elsewhere are passed, but what arrives before step `from`
///   tell_epoch(network, told, blocks)               what the host is told, when all steps are done
///   propagate_neurons(network, source, step)        N: a thread a neuron of a source
///   propagate_synapses(network, source, table, count, step)   S: a thread a synapse of a table
///   add_inputs(inputs, count)                       events of stimuli
///   take_samples(network, step, blocks)
/// and of plastic synapses, for networks whose steps are launched one by one:
///   note_given_spikes(network, spikes, count, first)   spikes from elsewhere, by cell and time
///   pass_arriving(network, step, first, blocks)     spikes at the synapses where they arrive
///   settle_weights(network, now, blocks)            all weights, as they are before a step
///   take_weights(network, step, blocks)             samples of them
ProgramSource write_points(std::span<const mechanisms::Mechanism* const> kinds);

}  // namespace hillock::simulator::on_device
