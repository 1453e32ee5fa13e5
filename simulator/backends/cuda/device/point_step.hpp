#pragma once
// A step of point neurons on a device: each neuron takes what arrives and advances, then spikes are
// brought to the sums of those who hear of them. What one thread does is a plain function here; the
// kernels that share it out come with a network's mechanisms (point_source.hpp).

#include "mechanisms/evaluator.hpp"
#include "mechanisms/runtime/step_draws.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/backends/cuda/device/instances.hpp"
#include "simulator/backends/cuda/device/point_views.hpp"

namespace hillock::simulator::cuda {

/// Notes the first failure: of the earliest step the first neuron's.
inline __device__ void note_failure(Failure* to, unsigned population, unsigned neuron, int variable,
                                    long long step) {
  while (atomicCAS(&to->lock, 0u, 1u) != 0u) {
  }
  __threadfence();
  volatile Failure* const known = to;
  const bool is_first =
      known->kind == Failure::Kind::none || step < known->step ||
      (step == known->step &&
       (population < known->program || (population == known->program && neuron < known->cell)));
  if (is_first) {
    known->kind = Failure::Kind::not_finite;
    known->program = population;
    known->cell = neuron;
    known->row = variable;
    known->step = step;
  }
  __threadfence();
  atomicExch(&to->lock, 0u);
}

/// What stimuli give a neuron in a step: known before anything else of it.
struct DrawnInput {
  network::Sum sums[2];
  double injected;
};

template <class E>
class PointNeuron {
 public:
  using Arrays = PointArrays<E::info.count()>;

  __device__ PointNeuron(const PointNetwork& network, const Arrays& arrays, unsigned neuron)
      : network_(network), arrays_(arrays), neuron_(neuron) {}

  /// Of the last task of a population some threads have none.
  __device__ bool is_there() const { return neuron_ < arrays_.neurons; }

  /// step: of the run, as everywhere. Nothing where none of its own ends with that.
  __device__ __forceinline__ DrawnInput draw(long long step) const {
    DrawnInput drawn = {};
    const long long own = own_step(step);
    if (own < 0) return drawn;
    for (unsigned d = 0; d < arrays_.draws; ++d) {
      const PointDraws& draws = network_.draws[arrays_.first_draw + d];
      if (neuron_ < draws.begin || neuron_ >= draws.end) continue;
      const unsigned i = neuron_ - draws.begin;
      const double u =
          mechanisms::step_uniform(network_.seed, draws.stimulus, arrays_.first_cell + index(),
                                   static_cast<unsigned long long>(own));
      if (draws.kind == PointDraws::Kind::gaussian) {
        drawn.injected =
            drawn.injected + (draws.expected[i] + draws.sd[i] * mechanisms::normal_quantile(u));
      } else if (own >= draws.first_step[i] && own < draws.last_step[i]) {
        const network::Sum weight = draws.weight[i];
        drawn.sums[E::info.negative_input >= 0 && weight < 0] +=
            static_cast<network::Sum>(mechanisms::poisson_quantile(draws.expected[i], u)) * weight;
      }
    }
    return drawn;
  }

  /// The whole of a step but the draws. kept: a step after which what is there is kept.
  __device__ __forceinline__ void advance(long long step, long long first_step, long long kept,
                                          const DrawnInput& drawn) {
    const long long own = own_step(step);
    if (own < 0 && step != kept) return;
    for (int c = 0; c < E::info.count(); ++c)
      number(c) = arrays_.columns[c] ? arrays_.columns[c][neuron_] : arrays_.ones[c];
    if (own < 0) return check_finite(step);
    take_inputs(own, drawn);
    const bool settles = (own + 1) % mechanisms::settling_interval == 0;
    if (settles)
      for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
        number(c) = mechanisms::settled(number(c));
    const double end_ms = static_cast<double>(own + 1) * arrays_.dt_ms;
    E::template advance<double>(
        variables_, {0.0, end_ms, arrays_.dt_ms, network_.celsius, arrays_.implicit_dt_ms});
    for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
      if (arrays_.columns[c]) arrays_.columns[c][neuron_] = number(c);
    if (settles || step == kept) check_finite(step);
    if constexpr (E::info.spike >= 0) {
      if (number(E::info.spike) != 0.0) spike(step, first_step);
    }
  }

 private:
  __device__ __forceinline__ double& number(int variable) {
    return array_of<double>(variables_)[variable];
  }
  /// Which of its own steps ends with that of the run; -1: none.
  __device__ __forceinline__ long long own_step(long long step) const {
    if (arrays_.run_steps == 1) return step;
    return (step + 1) % arrays_.run_steps == 0 ? (step + 1) / arrays_.run_steps - 1 : -1;
  }
  __device__ __forceinline__ unsigned index() const {
    return arrays_.indices ? arrays_.indices[neuron_] : neuron_;
  }
  __device__ __forceinline__ network::Sum take_sum(long long step, unsigned channel) const {
    network::Sum& sum = *arrays_.inputs.at(step, channel, neuron_);
    const network::Sum taken = sum;
    if (taken != 0) sum = 0;
    return taken;
  }

  __device__ __forceinline__ void take_inputs(long long step, const DrawnInput& drawn) {
    if constexpr (E::info.input >= 0)
      number(E::info.input) =
          static_cast<double>(drawn.sums[0] + take_sum(step, 0)) * arrays_.spacing;
    if constexpr (E::info.negative_input >= 0)
      number(E::info.negative_input) =
          static_cast<double>(drawn.sums[1] + take_sum(step, 1)) * arrays_.spacing;
    if constexpr (E::info.injected >= 0) number(E::info.injected) = drawn.injected;
  }

  __device__ void check_finite(long long step) {
    for (int c = E::info.first_state(); c < E::info.count(); ++c)
      if (!(number(c) - number(c) == 0.0))
        note_failure(network_.failure, arrays_.number, neuron_, c, step);
  }

  __device__ void spike(long long step, long long first_step) const {
    const unsigned at = atomicAdd(network_.log.count, 1u);
    const long long time = step + 1 - (E::info.spikes_at_beginning ? arrays_.run_steps : 0);
    network_.log.spikes[at] = {arrays_.first_cell + index(), arrays_.number,
                               static_cast<int>(time - first_step)};
  }

  const PointNetwork& network_;
  const Arrays& arrays_;
  const unsigned neuron_;
  typename E::template Variables<double> variables_;
};

/// Brings a spike to one synapse's target.
inline __device__ void pass_synapse(const PointTable& table, unsigned synapse, long long step) {
  if (table.synapses.words)
    table.synapses.pass(synapse, step, table.inputs);
  else
    table.long_synapses.pass(synapse, step, table.inputs);
}

/// The synapses [begin, end) of a cell in a table.
struct SynapseRange {
  unsigned begin, end;
};
inline __device__ SynapseRange synapses_of(const PointTable& table, unsigned long long cell) {
  const unsigned long long source = cell - table.first_source;  // huge where before it
  if (source >= table.source_count) return {0, 0};
  return {table.first[source], table.first[source + 1]};
}

/// The algorithms of spike propagation. All pass the same weights to the same sums, of which the
/// order does not matter.

/// N: a thread a neuron goes through all synapses of a neuron that spiked.
inline __device__ void propagate_neuron(const PointNetwork& network, const PointSource& source,
                                        unsigned neuron, long long step) {
  if (source.spiked[neuron] == 0.0) return;
  const unsigned long long cell =
      source.first_cell + (source.indices ? source.indices[neuron] : neuron);
  for (unsigned p = 0; p < source.pieces; ++p) {
    const PointPiece& piece = network.pieces[source.first_piece + p];
    if (piece.part != 0) continue;
    const PointTable& table = network.tables[piece.table];
    const SynapseRange range = synapses_of(table, cell);
    for (unsigned s = range.begin; s < range.end; ++s)
      pass_synapse(table, s, step + source.delay_of_time);
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
  for (unsigned p = 0; p < source.pieces; ++p) {
    const PointPiece& piece = network.pieces[source.first_piece + p];
    if (piece.part != 0) continue;
    const PointTable& table = network.tables[piece.table];
    const SynapseRange range = synapses_of(table, spike.cell);
    if (range.begin == range.end || start(table, range, first_step + spike.step)) continue;
    for (unsigned s = range.begin; s < range.end; ++s)
      pass_synapse(table, s, first_step + spike.step);
  }
}

/// The synapses of a spike of which one worker passes some.
struct QueuedPiece {
  const PointTable* table;
  SynapseRange range;
};
/// Piece p of a spike's: nothing where its source has fewer.
inline __device__ QueuedPiece piece_of(const PointNetwork& network, const PointSpike& spike,
                                       unsigned p) {
  const PointSource& source = network.sources[spike.population];
  if (p >= source.pieces) return {nullptr, {0, 0}};
  const PointPiece piece = network.pieces[source.first_piece + p];
  const PointTable& table = network.tables[piece.table];
  SynapseRange range = synapses_of(table, spike.cell);
  range.begin += piece.part * synapses_of_piece;
  if (range.begin + synapses_of_piece < range.end) range.end = range.begin + synapses_of_piece;
  return {&table, range};
}

/// A queue: as many warps as there are take a piece of a spike's synapses after the other. lane of
/// lanes: which of a warp's threads this is; worker of workers: which warp.
inline __device__ void propagate_queue(const PointNetwork& network, unsigned begin, unsigned end,
                                       long long first_step, unsigned worker, unsigned workers,
                                       unsigned lane, unsigned lanes) {
  const auto pass = [&](unsigned spike_number, unsigned p) {
    const PointSpike spike = network.log.spikes[spike_number];
    const QueuedPiece piece = piece_of(network, spike, p);
    for (unsigned s = piece.range.begin + lane; s < piece.range.end; s += lanes)
      pass_synapse(*piece.table, s, first_step + spike.step);
  };
  const unsigned pieces = network.most_pieces;
  const auto items = static_cast<unsigned long long>(end - begin) * pieces;
  if (items + workers < 0xffffffffull) {  // divisions of 64 bits take long
    for (unsigned item = worker; item < static_cast<unsigned>(items); item += workers)
      pass(begin + item / pieces, item % pieces);
  } else {
    for (unsigned long long item = worker; item < items; item += workers)
      pass(begin + static_cast<unsigned>(item / pieces), static_cast<unsigned>(item % pieces));
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
        piece_of(network, spike, static_cast<unsigned>(item % network.most_pieces));
    for (unsigned s = piece.range.begin + lane; s < piece.range.end; s += lanes) {
      const long long step = first_step + spike.step;
      const PointTable& table = *piece.table;
      const bool arrives = table.synapses.words ? arrives_from(table.synapses, s, step, from)
                                                : arrives_from(table.long_synapses, s, step, from);
      if (arrives) pass_synapse(table, s, step);
    }
  }
}

/// Writes what is recorded at a boundary. worker of workers: which thread of how many.
inline __device__ void sample_points(const PointNetwork& network, long long step, unsigned worker,
                                     unsigned workers) {
  for (unsigned s = worker; s < network.sample_count; s += workers) {
    const PointSample& sample = network.samples[s];
    const Recording& recording = network.recordings[sample.recording];
    const long long number = recording.sample_at(step);
    if (number < 0) continue;
    recording
        .rows[static_cast<unsigned long long>(number - recording.first_sample) * recording.columns +
              sample.column] = sample.from ? sample.factor * *sample.from : sample.factor;
  }
}

/// The lists of a network in a block's own memory, where they lie one after the other as in device
/// memory: what waits for a grid forgets what is in its cache, but not that.
class NearLists {
 public:
  /// words: 0 where they stay where they are.
  __device__ NearLists(const void* lists, unsigned long long* near, unsigned words)
      : from_(static_cast<const unsigned long long*>(lists)), near_(words > 0 ? near : nullptr) {
    for (unsigned w = threadIdx.x; w < words; w += blockDim.x) near[w] = from_[w];
    __syncthreads();
  }
  template <class Element>
  __device__ const Element* operator()(const Element* list) const {
    if (!near_) return list;
    return reinterpret_cast<const Element*>(
        near_ + (reinterpret_cast<const unsigned long long*>(list) - from_));
  }

 private:
  const unsigned long long* from_;
  unsigned long long* near_;
};

inline __device__ PointNetwork brought_near(PointNetwork network, const NearLists& near) {
  network.sources = near(network.sources);
  network.pieces = near(network.pieces);
  network.tables = near(network.tables);
  network.draws = near(network.draws);
  return network;
}

/// Waits for all blocks of a grid that is on the device as a whole. rounds: how many barriers the
/// grid has come to with this one, over all launches.
inline __device__ void wait_for_grid(unsigned* barrier, unsigned expected) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(barrier, 1u);
    volatile unsigned* const arrived = barrier;
    while (static_cast<int>(*arrived - expected) < 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

}  // namespace hillock::simulator::cuda
