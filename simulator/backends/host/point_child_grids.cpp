#include "simulator/backends/host/point_child_grids.hpp"

#include <algorithm>

#include "simulator/backends/host/device_words.hpp"

#include "simulator/backends/device/kernels/point_propagation.hpp"

namespace on_host {

using namespace hillock::simulator::on_device;

namespace {

constexpr unsigned block_threads = 256;

void start_for_spike(const PointNetwork& network, const PointSpike& spike, long long first,
                     ChildGridQueue& grids) {
  propagate_by_grids(network, spike, first,
                     [&](const PointTable& table, SynapseRange range, long long time) {
                       return grids.start([&table, range, time] {
                         for (unsigned s = range.begin; s < range.end; ++s)
                           pass_synapse(table, s, time);
                       });
                     });
}

void start_for_block(const PointNetwork& network, unsigned begin, unsigned end, long long first,
                     ChildGridQueue& grids) {
  const auto pass = [&network, begin, end, first] {
    for (unsigned at = begin; at < end; ++at) {
      const PointSpike& spike = network.log.spikes[at];
      for (unsigned p = 0; p < network.most_pieces; ++p) {
        const QueuedPiece piece = piece_of(network, spike, p, Which::all);
        pass_range(network.tables[piece.table], piece.range, first + spike.step, 0, 1);
      }
    }
  };
  if (!grids.start(pass)) pass();
}

}  // namespace

void pass_by_grids(const PointNetwork& network, long long step, long long first, bool by_block,
                   ChildGridQueue& grids) {
  const unsigned begin = network.log.begin[step % 2], end = *network.log.count;
  if (by_block)
    for (unsigned b = begin; b < end; b += block_threads)
      start_for_block(network, b, std::min(b + block_threads, end), first, grids);
  else
    for (unsigned at = begin; at < end; ++at)
      start_for_spike(network, network.log.spikes[at], first, grids);
  grids.run();
  network.log.begin[(step + 1) % 2] = end;
}

}  // namespace on_host
