#pragma once
// All steps of an epoch in one grid, whose blocks are on the device together and wait for one
// another. A warp's first neurons stay in its registers meanwhile.

#include "simulator/backends/cuda/device/meeting.hpp"
#include "simulator/backends/cuda/device/point_step.hpp"

namespace hillock::simulator::cuda {

/// In place of neurons, for a warp that has none.
struct NoNeuron {
  __device__ bool is_there() const { return false; }
  __device__ void load() {}
  __device__ void store() const {}
  __device__ DrawnInput draw(long long) const { return {}; }
  __device__ bool advance(long long, long long, const DrawnInput&) { return false; }
  __device__ PointSpike spike(long long, long long) const { return {}; }
};

/// The steps [first, last).
struct PointSteps {
  long long first, last;
  long long kept;  ///< a step after which what is there is kept
};

/// with_neuron(task, lane, body) calls body(PointNeuron) with one of a task's.
template <class WithNeuron>
class PointRun {
 public:
  /// blocks: of the grid.
  __device__ PointRun(const PointNetwork& network, const WithNeuron& with_neuron,
                      const PointSteps& steps, unsigned blocks)
      : network_(network), with_neuron_(with_neuron), steps_(steps), blocks_(blocks) {}

  /// All warps advance neurons, and then all pass their spikes.
  __device__ void together() {
    const Share share = share_of(0, blockDim.x / 32, 0);
    with_own(share, [&](auto& own) { run_together(own, share); });
  }

  /// The first warps of each block advance neurons; the others meanwhile pass the spikes of the
  /// step before, all but those that are soon.
  __device__ void apart(unsigned neuron_warps) {
    const unsigned warp = threadIdx.x / 32;
    if (warp >= neuron_warps) return pass_spikes(share_of(neuron_warps, blockDim.x / 32, 2));
    const Share share = share_of(0, neuron_warps, 1);
    with_own(share, [&](auto& own) { run_apart(own, share); });
  }

 private:
  /// Some warps of every block that share a work out.
  struct Share {
    unsigned warp, warps;  ///< which of how many, in the whole grid; neighbours are in two blocks
    unsigned lane;
    bool is_first;     ///< thread of its block's
    unsigned barrier;  ///< that those of a block have
    unsigned threads;  ///< of a block
  };
  __device__ Share share_of(unsigned begin, unsigned end, unsigned barrier) const {
    const unsigned warp = threadIdx.x / 32 - begin;
    return {warp * blocks_ + blockIdx.x,
            (end - begin) * blocks_,
            threadIdx.x % 32,
            threadIdx.x == begin * 32,
            barrier,
            (end - begin) * 32};
  }

  /// Calls body with the warp's first neurons, or none.
  template <class Body>
  __device__ void with_own(const Share& share, const Body& body) {
    if (share.warp < network_.task_count) {
      with_neuron_(network_.tasks[share.warp], share.lane, [&](auto&& neuron) { body(neuron); });
    } else {
      NoNeuron none;
      body(none);
    }
  }

  /// A step of some neurons but their draws, and what of their spikes others need in the next one.
  template <class Neuron>
  __device__ __forceinline__ void advance(Neuron& neuron, const DrawnInput& drawn, long long step,
                                          unsigned begin, unsigned lane) const {
    const bool is_spike = neuron.is_there() && neuron.advance(step, steps_.kept, drawn);
    const unsigned spikers = __ballot_sync(~0u, is_spike);
    if (spikers == 0) return;
    PointSpike spike = {};
    if (is_spike) {
      spike = neuron.spike(step, steps_.first);
      const auto before = static_cast<unsigned>(atomicAdd(&here(step), 1ull));
      network_.log.spikes[begin + before] = spike;
    }
    if (network_.is_apart) pass_soon(network_, spike, spikers, steps_.first, lane);
  }

  /// A step of all neurons of a warp. begin: of the step's spikes in the log.
  template <class Own>
  __device__ __forceinline__ void advance_all(Own& own, const DrawnInput& drawn, long long step,
                                              unsigned begin, const Share& share) const {
    advance(own, drawn, step, begin, share.lane);
    if (own.is_there() && (step + 1 == steps_.last || is_sampled(network_, step + 1))) own.store();
    for (unsigned t = share.warp + share.warps; t < network_.task_count; t += share.warps)
      with_neuron_(network_.tasks[t], share.lane, [&](auto&& neuron) {
        DrawnInput of_neuron = {};
        if (neuron.is_there()) {
          neuron.load();
          of_neuron = neuron.draw(step);
        }
        advance(neuron, of_neuron, step, begin, share.lane);
        if (neuron.is_there()) neuron.store();
      });
    if (share.warp == 0 && share.lane == 0) here(step + 1) = 0;
  }

  template <class Own>
  __device__ void run_together(Own& own, const Share& share) {
    if (own.is_there()) own.load();
    DrawnInput drawn = {};
    if (own.is_there()) drawn = own.draw(steps_.first);
    unsigned begin = 0, rounds = 0;
    for (long long step = steps_.first; step < steps_.last; ++step) {
      advance_all(own, drawn, step, begin, share);
      come(share, here(step), one_block);
      const unsigned end = begin + wait(share, step, 0);
      propagate_queue(network_, begin, end, steps_.first, share.warp, share.warps, share.lane, 32,
                      Which::all);
      sample(share, step + 1);
      begin = end;
      come(share, *network_.barrier, 1ull);
      if (own.is_there() && step + 1 < steps_.last) drawn = own.draw(step + 1);
      wait_for(share, *network_.barrier, ++rounds * blocks_);
    }
    if (share.warp == 0 && share.lane == 0) *network_.log.count = begin;
  }

  template <class Own>
  __device__ void run_apart(Own& own, const Share& share) {
    if (own.is_there()) own.load();
    DrawnInput drawn = {};
    if (own.is_there()) drawn = own.draw(steps_.first);
    unsigned begin = 0, rounds = 0, passed = 0;
    for (long long step = steps_.first; step < steps_.last; ++step) {
      advance_all(own, drawn, step, begin, share);
      come(share, here(step), one_block);
      if (own.is_there() && step + 1 < steps_.last) drawn = own.draw(step + 1);
      // What the step before spiked has been passed before the next one begins.
      begin += wait(share, step, passed);
      passed += blocks_;
      if (!is_sampled(network_, step + 1)) continue;
      sample(share, step + 1);
      come(share, *network_.barrier, 1ull);
      wait_for(share, *network_.barrier, ++rounds * blocks_);
    }
    if (share.warp == 0 && share.lane == 0) *network_.log.count = begin;
  }

  __device__ void pass_spikes(const Share& share) {
    unsigned begin = 0;
    for (long long step = steps_.first; step < steps_.last; ++step) {
      const unsigned end = begin + wait(share, step, 0);
      propagate_queue(network_, begin, end, steps_.first, share.warp, share.warps, share.lane, 32,
                      Which::others);
      begin = end;
      come(share, *network_.passed, 1ull);
    }
  }

  /// By those who have the least to do else.
  __device__ void sample(const Share& share, long long step) const {
    sample_points(network_, step, (share.warps - 1 - share.warp) * 32 + share.lane,
                  share.warps * 32);
  }

  /// How many blocks have done a step, and below it how many spikes they had.
  static constexpr unsigned long long one_block = 1ull << 32;
  __device__ unsigned long long& here(long long step) const {
    return network_.log.of_steps[step % 3];
  }

  /// The warps of a block have done what others wait for.
  __device__ void come(const Share& share, unsigned long long& counter,
                       unsigned long long one) const {
    meet(share.barrier, share.threads);
    if (!share.is_first) return;
    __threadfence();  // what the block's others wrote, too
    atomicAdd(&counter, one);
  }
  /// Waits until all blocks have done a step, and `passed` of them have passed spikes. Gives the
  /// step's spikes.
  __device__ unsigned wait(const Share& share, long long step, unsigned long long passed) const {
    __shared__ unsigned counts[most_shares];
    if (share.is_first) {
      unsigned long long done = value_of(here(step)), so_far = value_of(*network_.passed);
      while ((done >> 32) < blocks_ || so_far < passed) {
        look_again();
        done = value_of(here(step));
        so_far = value_of(*network_.passed);
      }
      __threadfence();
      counts[share.barrier] = static_cast<unsigned>(done);
    }
    meet(share.barrier, share.threads);
    return counts[share.barrier];
  }
  __device__ void wait_for(const Share& share, const unsigned long long& counter,
                           unsigned long long expected) const {
    if (share.is_first) {
      while (value_of(counter) < expected) look_again();
      __threadfence();
    }
    meet(share.barrier, share.threads);
  }
  __device__ static unsigned long long value_of(const unsigned long long& counter) {
    return *const_cast<const volatile unsigned long long*>(&counter);
  }
  static constexpr unsigned most_shares = 3;

  const PointNetwork& network_;
  const WithNeuron& with_neuron_;
  const PointSteps steps_;
  const unsigned blocks_;
};

}  // namespace hillock::simulator::cuda
