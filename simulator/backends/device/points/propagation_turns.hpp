#pragma once
// Which way spikes of point neurons are passed in an epoch, and how long these epochs took.

#include <cstdint>
#include <deque>
#include <vector>

#include "models/network.hpp"
#include "simulator/backends/device/memory/stream_span.hpp"
#include "simulator/backends/device_report.hpp"
#include "simulator/backends/engine.hpp"

namespace hillock::simulator::on_device {

class PropagationTurns {
 public:
  /// ways: take turns, an epoch each; at least one.
  explicit PropagationTurns(std::vector<models::Propagation> ways) : ways_(std::move(ways)) {}

  const std::vector<models::Propagation>& ways() const { return ways_; }
  /// Whether a way may come.
  bool has(models::Propagation way) const;

  /// The way of the next epoch, of which everything comes into the stream between the two.
  models::Propagation begin(const Epoch& epoch, device::Stream stream);
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

  std::vector<models::Propagation> ways_;
  std::size_t next_ = 0;  ///< of ways_
  std::deque<UnderWay> under_way_;
  std::vector<StreamSpan> spare_;
  std::vector<PropagationTurn> done_;
};

}  // namespace hillock::simulator::on_device
