#include "simulator/backends/cuda/point_source.hpp"

#include <fmt/format.h>

#include <string>

namespace hillock::simulator::cuda {

namespace {

constexpr const char* kernels = R"(
#define POINTS extern "C" __global__ void __launch_bounds__(threads)

/// Which of the grid's warps a thread belongs to: neighbours lie in different blocks.
__device__ __forceinline__ unsigned warp_of(unsigned blocks) {
  return threadIdx.x / 32 * blocks + blockIdx.x;
}

extern "C" __global__ void __launch_bounds__(threads, 4) run_points(
    const __grid_constant__ PointNetwork network, const __grid_constant__ Kinds kinds,
    long long first, long long last, unsigned blocks, unsigned barriers) {
  const unsigned lane = threadIdx.x % 32, warp = warp_of(blocks), warps = blocks * (threads / 32);
  unsigned begin = 0;
  for (long long step = first; step < last; ++step) {
    for (unsigned t = warp; t < network.task_count; t += warps)
      advance_task(network, kinds, t, lane, step, first);
    wait_for_grid(network.barrier, barriers += blocks);
    const unsigned end = *const_cast<const volatile unsigned*>(network.log.count);
    sample_points(network, step + 1, blockIdx.x * threads + threadIdx.x, blocks * threads);
    propagate_queue(network, begin, end, first, warp, warps, lane, 32);
    begin = end;
    wait_for_grid(network.barrier, barriers += blocks);
  }
}

POINTS advance_points(const __grid_constant__ PointNetwork network,
                      const __grid_constant__ Kinds kinds, long long step, long long first) {
  const unsigned t = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (t < network.task_count) advance_task(network, kinds, t, threadIdx.x % 32, step, first);
}

POINTS propagate_log(const __grid_constant__ PointNetwork network, long long step, long long first,
                     unsigned blocks) {
  const unsigned begin = network.log.begin[step % 2], end = *network.log.count;
  propagate_queue(network, begin, end, first, warp_of(blocks), blocks * (threads / 32),
                  threadIdx.x % 32, 32);
  if (blockIdx.x == 0 && threadIdx.x == 0) network.log.begin[(step + 1) % 2] = end;
}

POINTS propagate_given(const __grid_constant__ PointNetwork network, const PointSpike* spikes,
                       unsigned count, long long first, long long from, unsigned blocks) {
  propagate_late(network, spikes, count, first, from, warp_of(blocks), blocks * (threads / 32),
                 threadIdx.x % 32, 32);
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
)";

}  // namespace

ProgramSource write_points(std::span<const mechanisms::Mechanism* const> kinds) {
  ProgramSource source;
  std::string headers, arrays, cases;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const mechanisms::Mechanism& mechanism = *kinds[k];
    source.mechanisms.push_back(
        {fmt::format("mechanism_{}.hpp", k + 1), mechanism.source, mechanism.signature.name});
    headers += fmt::format("#include \"{}\"\n", source.mechanisms.back().name);
    arrays += fmt::format("  const PointNeuron<mechanisms::{}>::Arrays* kind{};\n",
                          mechanism.evaluator, k);
    cases += fmt::format(R"(    case {0}: {{
      const auto& arrays = kinds.kind{0}[task.population];
      const unsigned neuron = task.begin + lane;
      if (neuron < arrays.neurons)
        PointNeuron<mechanisms::{1}>(network, arrays, neuron).advance(step, first);
      break;
    }}
)",
                         k, mechanism.evaluator);
  }
  source.text = fmt::format(
      R"(#include "simulator/backends/cuda/device/point_step.hpp"
{}
namespace hillock::simulator::cuda {{

constexpr unsigned threads = {};

struct Kinds {{
{}}};

__device__ __forceinline__ void advance_task(const PointNetwork& network, const Kinds& kinds,
                                             unsigned t, unsigned lane, long long step,
                                             long long first) {{
  const PointTask task = network.tasks[t];
  switch (task.kind) {{
{}  }}
}}
{}
}}  // namespace hillock::simulator::cuda
)",
      headers, point_block_threads, arrays, cases, kernels);
  return source;
}

}  // namespace hillock::simulator::cuda
