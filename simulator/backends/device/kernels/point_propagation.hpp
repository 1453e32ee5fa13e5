#pragma once
// How spikes of point neurons reach the sums of those who hear of them, in five ways.

#include "simulator/backends/device/kernels/instances.hpp"
#include "simulator/backends/device/kernels/meeting.hpp"
#include "simulator/backends/device/kernels/point_views.hpp"

namespace hillock::simulator::on_device {

/// Synapses [begin, end) of a table.
struct SynapseRange {
  unsigned begin, end;
};

/// Brings a spike to one synapse's target.
inline __device__ void pass_synapse(const PointTable& table, unsigned synapse, long long step) {
  if (table.synapses.words)
    table.synapses.pass(synapse, step, table.inputs);
  else
    table.long_synapses.pass(synapse, step, table.inputs);
}

/// Brings it to all of a range. lane of lanes: which of the threads that share it out this is.
/// own_step: of the targets, at a step of the run. at_once: synapses of a thread whose words are
/// asked for before the first one's are there.
template <unsigned at_once, class Word, class OwnStep>
__device__ __forceinline__ void pass_range(const network::SynapseView<Word>& synapses,
                                           const network::InputRingView& inputs,
                                           const SynapseRange& range, long long step, unsigned lane,
                                           unsigned lanes, const OwnStep& own_step) {
  const long long earliest = step + synapses.shortest_steps;
  for (unsigned some = range.begin + lane; some < range.end; some += at_once * lanes) {
    Word words[at_once] = {};
    long long weights[at_once] = {};
    for (unsigned k = 0; k < at_once; ++k)
      if (some + k * lanes < range.end) {
        words[k] = read_once(&synapses.words[some + k * lanes]);
        weights[k] =
            static_cast<long long>(synapses.weights ? read_once(&synapses.weights[some + k * lanes])
                                                    : synapses.one_weight)
            << synapses.shift;
      }
    for (unsigned k = 0; k < at_once; ++k)
      if (some + k * lanes < range.end)
        inputs.add(own_step(earliest + static_cast<long long>(words[k] >> synapses.target_bits)),
                   static_cast<unsigned>(words[k] & synapses.target_mask), weights[k]);
  }
}
inline __device__ void pass_range(const PointTable& table, const SynapseRange& range,
                                  long long step, unsigned lane, unsigned lanes) {
  // Divisions are long, and not to be unrolled.
  const auto pass = [&](const auto& synapses) {
    if (synapses.run_steps == 1)
      pass_range<8>(synapses, table.inputs, range, step, lane, lanes,
                    [](long long run_step) { return run_step; });
    else
      pass_range<1>(synapses, table.inputs, range, step, lane, lanes,
                    [&](long long run_step) { return synapses.own_step(run_step); });
  };
  if (table.synapses.words)
    pass(table.synapses);
  else
    pass(table.long_synapses);
}

/// Which of a source's synapses.
enum class Which { all, soon, others };

/// A cell's synapses in a table.
inline __device__ SynapseRange synapses_of(const PointTable& table, unsigned long long cell,
                                           Which which = Which::all) {
  const unsigned long long source = cell - table.first_source;  // huge where before it
  if (source >= table.source_count) return {0, 0};
  const unsigned* const begin = which == Which::others ? table.others : table.first;
  return {begin[source], which == Which::soon ? table.others[source] : table.first[source + 1]};
}

/// The algorithms of spike propagation. All pass the same weights to the same sums, of which the
/// order does not matter.

/// Table t of those that have synapses of a source.
inline __device__ const PointTable& table_of(const PointNetwork& network, const PointSource& source,
                                             unsigned t) {
  return network.tables[network.pieces[source.first_piece + t].table];
}

/// N: a thread a neuron goes through all synapses of a neuron that spiked.
inline __device__ void propagate_neuron(const PointNetwork& network, const PointSource& source,
                                        unsigned neuron, long long step) {
  if (source.spiked[neuron] == 0.0) return;
  const unsigned long long cell =
      source.first_cell + (source.indices ? source.indices[neuron] : neuron);
  for (unsigned t = 0; t < source.tables; ++t) {
    const PointTable& table = table_of(network, source, t);
    pass_range(table, synapses_of(table, cell), step + source.delay_of_time, 0, 1);
  }
}

/// S: a thread a synapse asks whether its source spiked.
inline __device__ void propagate_synapse(const PointTable& table, const PointSource& source,
                                         unsigned synapse, long long step) {
  const unsigned neuron = table.sources[synapse];
  if (neuron != not_here && source.spiked[neuron] != 0.0)
    pass_synapse(table, synapse, step + source.delay_of_time);
}

/// AP: a grid for a spike's synapses in each table. start(table, range, step) starts it, and says
/// whether it could: what was refused is done here.
template <class Start>
__device__ void propagate_by_grids(const PointNetwork& network, const PointSpike& spike,
                                   long long first_step, const Start& start) {
  const PointSource& source = network.sources[spike.population];
  for (unsigned t = 0; t < source.tables; ++t) {
    const PointTable& table = table_of(network, source, t);
    const SynapseRange range = synapses_of(table, spike.cell);
    if (range.begin == range.end || start(table, range, first_step + spike.step)) continue;
    pass_range(table, range, first_step + spike.step, 0, 1);
  }
}

/// The synapses of a spike of which one worker passes some.
struct QueuedPiece {
  unsigned table;
  SynapseRange range;
};
/// Piece p of a spike's: nothing where its source has fewer.
inline __device__ QueuedPiece piece_of(const PointNetwork& network, const PointSpike& spike,
                                       unsigned p, Which which) {
  const PointSource& source = network.sources[spike.population];
  if (p >= source.pieces) return {0, {0, 0}};
  const PointPiece piece = network.pieces[source.first_piece + p];
  const PointTable& table = network.tables[piece.table];
  SynapseRange range = synapses_of(table, spike.cell, which);
  range.begin += piece.part * synapses_of_piece;
  if (range.begin + synapses_of_piece < range.end) range.end = range.begin + synapses_of_piece;
  return {piece.table, range};
}

/// A queue: as many warps as there are take a piece of a spike's synapses after the other. lane:
/// which of a warp's threads this is, which all come; worker of workers: which warp.
inline __device__ void propagate_queue(const PointNetwork& network, unsigned begin, unsigned end,
                                       long long first_step, unsigned worker, unsigned workers,
                                       unsigned lane, Which which = Which::all) {
  const unsigned spikes = end - begin;
  const auto pass_all = [&](auto items) {
    using Count = decltype(items);
    for (Count some = worker; some < items; some += Count{32} * workers) {
      // Each thread finds one of the warp's next pieces, so that all wait for them together. First
      // come the first pieces of all spikes, of which fewest are empty.
      const Count item = some + Count{lane} * workers;
      QueuedPiece found = {0, {0, 0}};
      int step = 0;
      if (item < items) {
        const PointSpike spike = network.log.spikes[begin + static_cast<unsigned>(item % spikes)];
        found = piece_of(network, spike, static_cast<unsigned>(item / spikes), which);
        step = spike.step;
      }
      unsigned left = __ballot_sync(~0u, found.range.begin < found.range.end);
      for (; left != 0; left &= left - 1) {
        const int finder = __ffs(static_cast<int>(left)) - 1;
        const PointTable& table = network.tables[__shfl_sync(~0u, found.table, finder)];
        const SynapseRange range = {__shfl_sync(~0u, found.range.begin, finder),
                                    __shfl_sync(~0u, found.range.end, finder)};
        pass_range(table, range, first_step + __shfl_sync(~0u, step, finder), lane, 32);
      }
    }
  };
  const auto items = static_cast<unsigned long long>(spikes) * network.most_pieces;
  if (items + 32ull * workers < 0xffffffffull)  // divisions of 64 bits take long
    pass_all(static_cast<unsigned>(items));
  else
    pass_all(items);
}

/// Brings the spikes of a warp's threads to their soon synapses. spikers: a bit for each thread
/// that has a spike.
inline __device__ __noinline__ void pass_soon(const PointNetwork& network, const PointSpike& spike,
                                              unsigned spikers, long long first_step,
                                              unsigned lane) {
  for (unsigned left = spikers; left != 0; left &= left - 1) {
    const int spiker = __ffs(static_cast<int>(left)) - 1;
    const unsigned long long cell = __shfl_sync(~0u, spike.cell, spiker);
    const long long step = first_step + __shfl_sync(~0u, spike.step, spiker);
    const PointSource& source = network.sources[__shfl_sync(~0u, spike.population, spiker)];
    for (unsigned some = 0; some < source.tables; some += 32) {
      SynapseRange of_lane = {0, 0};  // each thread finds one table's
      if (some + lane < source.tables)
        of_lane = synapses_of(table_of(network, source, some + lane), cell, Which::soon);
      for (unsigned t = 0; t < 32 && some + t < source.tables; ++t) {
        const SynapseRange range = {__shfl_sync(~0u, of_lane.begin, static_cast<int>(t)),
                                    __shfl_sync(~0u, of_lane.end, static_cast<int>(t))};
        pass_range(table_of(network, source, some + t), range, step, lane, 32);
      }
    }
  }
}

template <class View>
__device__ bool arrives_from(const View& view, unsigned synapse, long long step, long long from) {
  return view.own_step(step + view.delay(synapse)) >= view.own_step(from);
}

/// The same of given spikes, but what arrives before step `from`.
inline __device__ void propagate_late(const PointNetwork& network, const PointSpike* spikes,
                                      unsigned count, long long first_step, long long from,
                                      unsigned worker, unsigned workers, unsigned lane,
                                      unsigned lanes) {
  const auto items = static_cast<unsigned long long>(count) * network.most_pieces;
  for (unsigned long long item = worker; item < items; item += workers) {
    const PointSpike spike = spikes[item / network.most_pieces];
    const QueuedPiece piece =
        piece_of(network, spike, static_cast<unsigned>(item % network.most_pieces), Which::all);
    for (unsigned s = piece.range.begin + lane; s < piece.range.end; s += lanes) {
      const long long step = first_step + spike.step;
      const PointTable& table = network.tables[piece.table];
      const bool arrives = table.synapses.words ? arrives_from(table.synapses, s, step, from)
                                                : arrives_from(table.long_synapses, s, step, from);
      if (arrives) pass_synapse(table, s, step);
    }
  }
}

}  // namespace hillock::simulator::on_device
