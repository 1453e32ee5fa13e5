#pragma once
// All steps of an epoch in one grid, whose blocks are on the device together and wait for one
// another. The variables of a warp's first neurons stay in the block's own memory meanwhile.

#include "simulator/backends/device/kernels/meeting.hpp"
#include "simulator/backends/device/kernels/point_propagation.hpp"
#include "simulator/backends/device/kernels/point_step.hpp"

namespace hillock::simulator::on_device {

/// In place of neurons, for a warp whose neurons do not stay near, or that has none.
struct NoNeuron {
  __device__ bool is_there() const { return false; }
  __device__ void load_near(const double*, unsigned) {}
  __device__ void store_near(double*, unsigned) const {}
  __device__ void bring_near(double*, unsigned) const {}
  __device__ void put_back(const double*, unsigned) const {}
  __device__ DrawnInput draw(long long) const { return {}; }
  __device__ bool advance(long long, long long, const DrawnInput&) { return false; }
  __device__ bool has_soon() const { return false; }
  __device__ PointSpike spike(long long, long long) const { return {}; }
};

/// The steps [first, last).
struct PointSteps {
  long long first, last;
  long long kept;   ///< a step after which what is there is kept
  bool stays_near;  ///< a block has memory of its own for the variables of its first neurons
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

  /// Calls body with the warp's first neurons, if they stay near.
  template <class Body>
  __device__ void with_own(const Share& share, const Body& body) {
    if (steps_.stays_near && share.warp < network_.task_count) {
      with_neuron_(network_.tasks[share.warp], share.lane, [&](auto&& neuron) { body(neuron); });
    } else {
      NoNeuron none;
      body(none);
    }
  }
  __device__ static double* near_of(const Share& share) {
    return block_memory() + threadIdx.x % share.threads;
  }

  /// Logs the spikes of a warp's neurons in a step, and does what others need of them in the next
  /// one. begin: of the step's spikes in the log.
  template <class Neuron>
  __device__ __forceinline__ void publish(const Neuron& neuron, bool is_spike, long long step,
                                          unsigned begin, unsigned lane) const {
    const unsigned spikers = __ballot_sync(~0u, is_spike);
    if (spikers == 0) return;
    PointSpike spike = {};
    if (is_spike) {
      spike = neuron.spike(step, steps_.first);
      const auto before = static_cast<unsigned>(atomicAdd(&here(step), 1ull));
      network_.log.spikes[begin + before] = spike;
    }
    if (network_.is_apart && neuron.has_soon())
      pass_soon(network_, spike, spikers, steps_.first, lane);
  }

  /// A step of neurons that do not stay. Their code is not to lie among what all warps run.
  __device__ __noinline__ void advance_other(const PointTask& task, long long step, unsigned begin,
                                             unsigned lane) const {
    with_neuron_(task, lane, [&](auto&& neuron) {
      bool is_spike = false;
      if (neuron.is_there()) {
        neuron.load();
        is_spike = neuron.advance(step, steps_.kept, neuron.draw(step));
        neuron.store();
      }
      publish(neuron, is_spike, step, begin, lane);
    });
  }

  /// A step of all neurons of a warp. drawn: for its own.
  template <class Own>
  __device__ __forceinline__ void advance_all(Own& own, const DrawnInput& drawn, long long step,
                                              unsigned begin, const Share& share) const {
    bool is_spike = false;
    if (own.is_there()) {
      double* const near = near_of(share);
      own.load_near(near, share.threads);
      is_spike = own.advance(step, steps_.kept, drawn);
      own.store_near(near, share.threads);
      if (step + 1 == steps_.last || is_sampled(network_, step + 1))
        own.put_back(near, share.threads);
    }
    publish(own, is_spike, step, begin, share.lane);
    for (unsigned t = steps_.stays_near ? share.warp + share.warps : share.warp;
         t < network_.task_count; t += share.warps)
      advance_other(network_.tasks[t], step, begin, share.lane);
    if (share.warp == 0 && share.lane == 0) here(step + 1) = passed(step + 1) = 0;
  }

  /// In each round a step is done and the draws of the next one are made: these while others come
  /// to the barrier.
  template <class Own>
  __device__ void run_together(Own& own, const Share& share) {
    if (own.is_there()) own.bring_near(near_of(share), share.threads);
    DrawnInput drawn = {};
    unsigned begin = 0;
    unsigned long long expected = 0;
    for (long long step = steps_.first - 1; step < steps_.last; ++step) {
      if (step >= steps_.first) {
        advance_all(own, drawn, step, begin, share);
        come(share, here(step), one_block);
        const unsigned end = begin + wait(share, step, false);
        propagate_queue(network_, begin, end, steps_.first, share.warp, share.warps, share.lane);
        sample(share, step + 1);
        begin = end;
        come(share, *network_.barrier, 1ull);
        expected += blocks_;
      }
      if (own.is_there()) drawn = own.draw(step + 1);
      wait_for(share, *network_.barrier, expected);
    }
    if (share.warp == 0 && share.lane == 0) *network_.log.count = begin;
  }

  template <class Own>
  __device__ void run_apart(Own& own, const Share& share) {
    if (own.is_there()) own.bring_near(near_of(share), share.threads);
    DrawnInput drawn = {};
    unsigned begin = 0;
    unsigned long long expected = 0;
    for (long long step = steps_.first - 1; step < steps_.last; ++step) {
      if (step >= steps_.first) {
        advance_all(own, drawn, step, begin, share);
        come(share, here(step), one_block);
      }
      if (own.is_there()) drawn = own.draw(step + 1);
      if (step < steps_.first) continue;
      begin += wait(share, step, step > steps_.first);
      if (!is_sampled(network_, step + 1)) continue;
      sample(share, step + 1);
      come(share, *network_.barrier, 1ull);
      wait_for(share, *network_.barrier, expected += blocks_);
    }
    if (share.warp == 0 && share.lane == 0) *network_.log.count = begin;
  }

  __device__ void pass_spikes(const Share& share) {
    unsigned begin = 0;
    for (long long step = steps_.first; step < steps_.last; ++step) {
      const unsigned end = begin + wait(share, step, false);
      propagate_queue(network_, begin, end, steps_.first, share.warp, share.warps, share.lane,
                      Which::others);
      begin = end;
      come(share, passed(step), 1ull);
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
    return network_.log.of_steps[step % 4 * between_counters];
  }
  /// How many blocks have passed a step's spikes.
  __device__ unsigned long long& passed(long long step) const {
    return network_.passed[step % 4 * between_counters];
  }

  /// The warps of a block have done what others wait for.
  __device__ void come(const Share& share, unsigned long long& counter,
                       unsigned long long one) const {
    meet(share.barrier, share.threads);
    if (!share.is_first) return;
    order_memory();  // what the block's others wrote, too
    atomicAdd(&counter, one);
  }
  /// Waits until all blocks have done a step, and, if so asked, passed the spikes of the one
  /// before. Gives the step's spikes.
  __device__ unsigned wait(const Share& share, long long step, bool before_is_passed) const {
    __shared__ unsigned counts[most_shares];
    if (share.is_first) {
      const unsigned expected = before_is_passed ? blocks_ : 0;
      const unsigned long long& before = passed(step + 3);  // as of step - 1
      unsigned long long done = value_of(here(step)), have_passed = value_of(before);
      while ((done >> 32) < blocks_ || have_passed < expected) {
        look_again();
        done = value_of(here(step));
        have_passed = value_of(before);
      }
      order_memory();
      counts[share.barrier] = static_cast<unsigned>(done);
    }
    meet(share.barrier, share.threads);
    return counts[share.barrier];
  }
  __device__ void wait_for(const Share& share, const unsigned long long& counter,
                           unsigned long long expected) const {
    if (share.is_first) {
      while (value_of(counter) < expected) look_again();
      order_memory();
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

}  // namespace hillock::simulator::on_device
