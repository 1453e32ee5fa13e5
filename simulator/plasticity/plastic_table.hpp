#pragma once
// The plastic connections of one projection onto some neurons on the CPU, step by step: spikes wait
// until they arrive, and then find the weight that the spikes of both neurons have made by then.

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "core/state/state_walk.hpp"
#include "network/propagation/input_ring_view.hpp"
#include "network/spikes.hpp"
#include "simulator/plasticity/plastic_synapses.hpp"
#include "simulator/plasticity/spike_rings.hpp"

namespace hillock::simulator {

class PlasticTable {
 public:
  /// from: its instances are neurons, of which there are so many. step: theirs, the run's.
  PlasticTable(const network::FanInTable& from, std::size_t neurons, const models::PointStep& step,
               const network::SumGrid& grid, const models::Stdp& stdp);

  std::uint32_t projection() const { return projection_; }

  /// Takes in spikes of any cells, of which nothing arrives before step `now`; after a resumption
  /// what arrived before that is passed over.
  void receive(std::span<const std::vector<network::CellSpike>> spikes, std::int64_t now);
  /// What arrives before step `step` goes to the neurons' inputs. Steps follow one another.
  void arrive(std::int64_t step, const network::InputRingView& ring);
  /// A neuron spiked.
  void add_target_spike(std::uint32_t neuron, std::int64_t step);
  /// After what arrives before `now` and all spikes of the step before it.
  void end_step(std::int64_t now);

  /// Calls body(neuron, weight) for all connections as they are before step `now`: for each neuron
  /// by source.
  template <class Body>
  void each_weight(std::int64_t now, const Body& body) {
    settle(now);
    synapses_.index.each_source([&](std::uint64_t source) {
      const network::Entries entries = synapses_.index.of(source);
      for (std::uint32_t s = entries.begin; s < entries.end; ++s)
        body(synapses_.targets[s], synapses_.weights[s]);
    });
  }
  /// Saves what changes as it is before step `now`, or restores it, of which resume_at() then says
  /// when that was. `state` has begun the neurons.
  void walk(StateWalk& state, std::int64_t now);
  void resume_at(std::int64_t now) { settled_to_ = now; }
  std::size_t bytes() const;

 private:
  struct Source {
    PastSpike last;            ///< of all that were received
    std::uint64_t newest = 0;  ///< among the waiting ones; of use while it is there
  };
  /// A spike that has not arrived everywhere yet.
  struct Waiting {
    PastSpike spike, before;     ///< before: its source's last one
    std::uint64_t previous = 0;  ///< number of that one
    std::uint32_t source = 0;
    std::uint32_t next = 0;  ///< the synapse where it arrives next
    bool is_done = false;
  };

  void wait_for(std::uint32_t source, std::int64_t step, std::int64_t now);
  PastSpike last_arrived(std::uint64_t source, std::int64_t delay, std::int64_t now) const;
  void settle(std::int64_t now);
  Waiting& waiting(std::uint64_t number) {
    return waiting_[static_cast<std::size_t>(number - first_waiting_)];
  }
  std::vector<std::uint64_t>& due(std::int64_t step) {
    return due_[static_cast<std::size_t>(step) & (due_.size() - 1)];
  }

  std::uint32_t projection_;
  double dt_ms_;
  network::SumGrid grid_;
  PlasticSynapses synapses_;
  StdpTables tables_;
  StdpRule rule_;
  SpikeRings targets_;
  std::vector<Source> sources_;
  std::deque<Waiting> waiting_;  ///< numbers from first_waiting_ on
  std::uint64_t first_waiting_ = 0;
  std::vector<std::vector<std::uint64_t>> due_;  ///< [step & (size - 1)] who arrives somewhere
  std::vector<std::uint64_t> arriving_;
  std::int64_t settled_to_ = 0;      ///< all weights are those before that step, or later ones
  std::vector<std::uint32_t> full_;  ///< neurons whose next spike has no place
  /// [source] up to which step its spikes are known from before a resumption, until the first are
  /// received.
  std::vector<std::int64_t> known_until_;
};

}  // namespace hillock::simulator
