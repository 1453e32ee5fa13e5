#include "simulator/backends/device/points/point_source.hpp"

#include <fmt/format.h>

#include <string>

namespace hillock::simulator::on_device {

namespace {

constexpr const char* kernels = R"(
#define POINTS extern "C" __global__ void __launch_bounds__(threads)

/// Which of the grid's warps a thread belongs to: neighbours lie in different blocks.
__device__ __forceinline__ unsigned warp_of(unsigned blocks) {
  return threadIdx.x / 32 * blocks + blockIdx.x;
}

extern "C" __global__ void __launch_bounds__(threads_together, 1) run_points(
    const __grid_constant__ PointNetwork far, const __grid_constant__ Kinds far_kinds,
    long long first, long long last, long long kept, unsigned blocks, unsigned neuron_warps,
    unsigned near_words, bool stays_near) {
  __shared__ unsigned long long memory[most_near_words];
  __shared__ PointNetwork network;
  __shared__ Kinds kinds;
  const NearLists near(far.sources, memory, near_words);
  if (threadIdx.x == 0) {
    network = brought_near(far, near);
    kinds = brought_near(far_kinds, near);
  }
  __syncthreads();
  const auto with_one = [&](const PointTask& task, unsigned lane, const auto& body) {
    with_neuron(network, kinds, task, lane, body);
  };
  PointRun run(network, with_one, {first, last, kept, stays_near}, blocks);
  if (network.is_apart)
    run.apart(neuron_warps);
  else
    run.together();
}

POINTS advance_points(const __grid_constant__ PointNetwork network,
                      const __grid_constant__ Kinds kinds, long long step, long long first,
                      long long kept) {
  const unsigned t = blockIdx.x * (threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (t < network.task_count)
    with_neuron(network, kinds, network.tasks[t], lane, [&](auto&& neuron) {
      if (!neuron.is_there()) return;
      neuron.load();
      const bool is_spike = neuron.advance(step, kept, neuron.draw(step));
      neuron.store();
      if (!is_spike) return;
      const PointSpike spike = neuron.spike(step, first);
      network.log.spikes[atomicAdd(network.log.count, 1u)] = spike;
      note_spike(network.plastic, spike, network.tasks[t].begin + lane, first);
    });
}

POINTS propagate_log(const __grid_constant__ PointNetwork network, long long step, long long first,
                     unsigned blocks) {
  const unsigned begin = network.log.begin[step % 2], end = *network.log.count;
  propagate_queue(network, begin, end, first, warp_of(blocks), blocks * (threads / 32),
                  threadIdx.x % 32);
  if (blockIdx.x == 0 && threadIdx.x == 0) network.log.begin[(step + 1) % 2] = end;
}

POINTS begin_epoch(const __grid_constant__ PointNetwork network, const PointSpike* spikes,
                   unsigned count, long long first, long long from, unsigned blocks) {
  if (blockIdx.x == 0) {
    for (unsigned c = threadIdx.x; c < all_counters; c += threads) network.log.of_steps[c] = 0;
    if (threadIdx.x == 0)
      *network.log.count = network.log.begin[0] = network.log.begin[1] = 0;
  }
  propagate_late(network, spikes, count, first, from, warp_of(blocks), blocks * (threads / 32),
                 threadIdx.x % 32, 32);
}

POINTS tell_epoch(const __grid_constant__ PointNetwork network, const PointTold told,
                  unsigned blocks) {
  const unsigned count = *network.log.count, first = blockIdx.x * threads + threadIdx.x;
  for (unsigned s = first; s < count && s < told.most; s += blocks * threads)
    told.spikes[s] = network.log.spikes[s];
  if (first > 0) return;
  *told.count = count;
  *told.failure = *network.failure;
}

POINTS propagate_neurons(const __grid_constant__ PointNetwork network, unsigned source,
                         long long step) {
  const unsigned neuron = blockIdx.x * threads + threadIdx.x;
  const PointSource& from = network.sources[source];
  if (neuron < from.neurons) propagate_neuron(network, from, neuron, step);
}

POINTS propagate_synapses(const __grid_constant__ PointNetwork network, unsigned source,
                          unsigned table, unsigned count, long long step) {
  const unsigned synapse = blockIdx.x * threads + threadIdx.x;
  if (synapse < count)
    propagate_synapse(network.tables[table], network.sources[source], synapse, step);
}

POINTS add_inputs(const PointInput* inputs, unsigned count) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < count) inputs[i].to.add(inputs[i].step, inputs[i].neuron, inputs[i].weight);
}

POINTS take_samples(const __grid_constant__ PointNetwork network, long long step,
                    unsigned blocks) {
  sample_points(network, step, blockIdx.x * threads + threadIdx.x, blocks * threads);
}

POINTS note_given_spikes(const __grid_constant__ PointNetwork network, const PointSpike* spikes,
                         unsigned count, long long first) {
  note_given(network.plastic, spikes, count, first, blockIdx.x * threads + threadIdx.x);
}

POINTS pass_arriving(const __grid_constant__ PointNetwork network, long long step, long long first,
                     unsigned blocks) {
  const unsigned logged = *network.log.count;
  pass_plastic(network, step, first, logged, warp_of(blocks), blocks * (threads / 32),
               threadIdx.x % 32, 32);
  if (blockIdx.x == 0 && threadIdx.x == 0) network.plastic.begins[step - first] = logged;
}

POINTS settle_weights(const __grid_constant__ PointNetwork network, long long now,
                      unsigned blocks) {
  settle_plastic(network.plastic, now, warp_of(blocks), blocks * (threads / 32), threadIdx.x % 32,
                 32);
}

POINTS take_weights(const __grid_constant__ PointNetwork network, long long step,
                    unsigned blocks) {
  sample_weights(network, step, blockIdx.x * threads + threadIdx.x, blocks * threads);
}
)";

}  // namespace

ProgramSource write_points(std::span<const mechanisms::Mechanism* const> kinds) {
  ProgramSource source;
  std::string headers, arrays, moved, cases;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const mechanisms::Mechanism& mechanism = *kinds[k];
    source.mechanisms.push_back(
        {fmt::format("mechanism_{}.hpp", k + 1), mechanism.source, mechanism.signature.name});
    headers += fmt::format("#include \"{}\"\n", source.mechanisms.back().name);
    arrays += fmt::format("  const PointNeuron<mechanisms::{}>::Arrays* kind{};\n",
                          mechanism.evaluator, k);
    moved += fmt::format("{}near(far.kind{})", k == 0 ? "" : ", ", k);
    cases += fmt::format(R"(    case {0}:
      return body(PointNeuron<mechanisms::{1}>(network, kinds.kind{0}[task.population],
                                               task.begin + lane));
)",
                         k, mechanism.evaluator);
  }
  source.text = fmt::format(
      R"(#include "simulator/backends/device/kernels/plastic_step.hpp"
#include "simulator/backends/device/kernels/point_run.hpp"
{}
namespace hillock::simulator::on_device {{

constexpr unsigned threads = {}, threads_together = {}, most_near_words = {};

struct Kinds {{
{}}};

__device__ Kinds brought_near(const Kinds& far, const NearLists& near) {{
  return {{{}}};
}}

/// Calls body(PointNeuron) with a thread's neuron of a task.
template <class Body>
__device__ __forceinline__ void with_neuron(const PointNetwork& network, const Kinds& kinds,
                                            const PointTask& task, unsigned lane,
                                            const Body& body) {{
  switch (task.kind) {{
{}  }}
}}
{}
}}  // namespace hillock::simulator::on_device
)",
      headers, point_block_threads, point_threads_together, point_near_words, arrays, moved, cases,
      kernels);
  return source;
}

}  // namespace hillock::simulator::on_device
