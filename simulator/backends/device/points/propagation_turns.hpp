#pragma once
// Which way spikes of point neurons are passed in an epoch, and how long these epochs took.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "simulator/backends/device/memory/stream_span.hpp"
#include "simulator/backends/device_report.hpp"
#include "simulator/backends/engine.hpp"

namespace hillock::simulator::on_device {

/// How spikes of point neurons are brought to their synapses (Kasap and van Opstal 2018).
enum class Propagation {
  neurons,       ///< N: a thread a neuron
  synapses,      ///< S: a thread a synapse
  spikes,        ///< AP: a grid a spike, started on the device
  spike_blocks,  ///< AP, a grid for the spikes of a block of threads
  queue,         ///< warps take the spikes of a queue
};

class PropagationTurns {
 public:
  /// words: of ways that take turns, an epoch each; none: the queue.
  explicit PropagationTurns(const std::vector<std::string>& words);

  std::vector<std::string> words() const;
  /// Whether a way may come.
  bool has(Propagation way) const;

  /// The way of the next epoch, of which everything comes into the stream between the two.
  Propagation begin(const Epoch& epoch, device::Stream stream);
  void end(device::Stream stream) { under_way_.back().span.end(stream); }
  /// The epoch that was begun first is done.
  void finish(std::uint64_t spikes);

  /// Those that are done; one after the other of one way are one.
  const std::vector<PropagationTurn>& done() const { return done_; }

 private:
  struct UnderWay {
    PropagationTurn turn;
    StreamSpan span;
  };

  std::vector<Propagation> ways_;
  std::size_t next_ = 0;  ///< of ways_
  std::deque<UnderWay> under_way_;
  std::vector<StreamSpan> spare_;
  std::vector<PropagationTurn> done_;
};

}  // namespace hillock::simulator::on_device
