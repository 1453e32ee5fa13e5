#pragma once
// A step of point neurons on a device: each neuron takes what arrives and advances, then spikes are
// brought to the sums of those who hear of them. What one thread does is a plain function here; the
// kernels that share it out come with a network's mechanisms (point_source.hpp).

#include "mechanisms/evaluator.hpp"
#include "mechanisms/runtime/step_draws.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/backends/device/kernels/failure.hpp"
#include "simulator/backends/device/kernels/instances.hpp"
#include "simulator/backends/device/kernels/meeting.hpp"
#include "simulator/backends/device/kernels/point_views.hpp"

namespace hillock::simulator::on_device {

/// What stimuli give a neuron in a step: known before anything else of it.
struct DrawnInput {
  network::Sum sums[2];
  double injected;
};

/// For whom is drawn.
struct DrawnFor {
  unsigned first_draw, draws;  ///< of the network's list
  unsigned neuron;
  unsigned long long cell;
  double middle_ms;  ///< of the step
};

inline __device__ double injected(const PointCurrent& current, unsigned i, double time_ms) {
  const PointWaveform waveform = current.waveforms[i];
  if (waveform.rows == 0) return mechanisms::pulse_current(current.pulses[i], time_ms);
  return mechanisms::table_current(
      waveform.rows, [&](int row) { return waveform.times_ms[row]; },
      [&](int row) { return waveform.values[row]; }, time_ms);
}

/// poisson_quantile().
inline __device__ network::Sum event_count(const PointNetwork& network, const PointDraws& draws,
                                           unsigned i, double u) {
  if (draws.first_threshold == nowhere)
    return static_cast<network::Sum>(mechanisms::poisson_quantile(draws.expected[i], u));
  const double* const thresholds = network.thresholds + draws.first_threshold;
  network::Sum count = 0;
  while (u >= thresholds[count]) ++count;
  return count;
}

/// step: one of its own.
template <bool two_sums>
__device__ __forceinline__ DrawnInput draw_input(const PointNetwork& network, const DrawnFor& whom,
                                                 long long step) {
  DrawnInput drawn = {};
  for (unsigned d = 0; d < whom.draws; ++d) {
    const PointDraws& draws = network.draws[whom.first_draw + d];
    if (whom.neuron < draws.begin || whom.neuron >= draws.end) continue;
    const unsigned i = whom.neuron - draws.begin;
    if (draws.kind == PointDraws::Kind::current) {
      drawn.injected = drawn.injected + injected(*draws.current, i, whom.middle_ms);
      continue;
    }
    if (step < draws.first_step[i] || step >= draws.last_step[i]) continue;
    const auto number = static_cast<unsigned long long>(step);
    if (draws.kind == PointDraws::Kind::gaussian) {
      const double normal =
          mechanisms::step_normal(network.seed, draws.stimulus, whom.cell, number);
      drawn.injected = drawn.injected + (draws.expected[i] + draws.sd[i] * normal);
    } else {
      const double u = mechanisms::step_uniform(network.seed, draws.stimulus, whom.cell, number);
      const network::Sum weight = draws.weight[i];
      const network::Sum sum = event_count(network, draws, i, u) * weight;
      // A number that says which one would have both lie in memory.
      drawn.sums[0] += two_sums && weight < 0 ? 0 : sum;
      drawn.sums[1] += two_sums && weight < 0 ? sum : 0;
    }
  }
  return drawn;
}

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
    const long long own = own_step(step);
    if (own < 0) return {};
    const double middle_ms = (static_cast<double>(own) + 0.5) * arrays_.dt_ms;
    return draw_input<E::info.negative_input >= 0>(
        network_,
        {arrays_.first_draw, arrays_.draws, neuron_, arrays_.first_cell + index(), middle_ms}, own);
  }

  /// Its variables, from device memory and back.
  __device__ __forceinline__ void load() {
    HILLOCK_UNROLLED
    for (int c = 0; c < E::info.count(); ++c)
      number(c) = arrays_.columns[c] ? arrays_.columns[c][neuron_] : arrays_.ones[c];
  }
  __device__ __forceinline__ void store() {
    HILLOCK_UNROLLED
    for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
      if (arrays_.columns[c]) arrays_.columns[c][neuron_] = number(c);
  }

  /// The same with a block's own memory, where they stay for many steps. stride: from one to the
  /// next.
  __device__ __forceinline__ void load_near(const double* near, unsigned stride) {
    HILLOCK_UNROLLED
    for (int c = 0; c < E::info.count(); ++c) number(c) = near[c * stride];
  }
  __device__ __forceinline__ void store_near(double* near, unsigned stride) {
    HILLOCK_UNROLLED
    for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
      near[c * stride] = number(c);
  }
  /// Between the two.
  __device__ void bring_near(double* near, unsigned stride) const {
    bring_near(arrays_, neuron_, near, stride);
  }
  __device__ void put_back(const double* near, unsigned stride) const {
    put_back(arrays_, neuron_, near, stride);
  }

  /// The whole of a step but the draws, of variables that were loaded. kept: a step after which
  /// what is there is kept. Whether it spikes.
  __device__ __forceinline__ bool advance(long long step, long long kept, const DrawnInput& drawn) {
    const long long own = own_step(step);
    if (own < 0) {
      if (step == kept) check_finite(step);
      return false;
    }
    take_inputs(own, drawn);
    const bool settles = (own + 1) % mechanisms::settling_interval == 0;
    if (settles) HILLOCK_UNROLLED
    for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
      number(c) = mechanisms::settled(number(c));
    const double end_ms = static_cast<double>(own + 1) * arrays_.dt_ms;
    E::template advance<double>(
        variables_, {0.0, end_ms, arrays_.dt_ms, network_.celsius, arrays_.implicit_dt_ms});
    if (settles || step == kept) check_finite(step);
    if constexpr (E::info.spike >= 0) return number(E::info.spike) != 0.0;
    return false;
  }

  /// Whether spikes of its population have synapses that are soon.
  __device__ __forceinline__ bool has_soon() const {
    return network_.sources[arrays_.number].has_soon;
  }
  /// What the log has of its spike in a step.
  __device__ __forceinline__ PointSpike spike(long long step, long long first_step) const {
    const long long time = step + 1 - (E::info.spikes_at_beginning ? arrays_.run_steps : 0);
    return {arrays_.first_cell + index(), arrays_.number, static_cast<int>(time - first_step)};
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

  __device__ __forceinline__ void check_finite(long long step) {
    int first = -1;
    HILLOCK_UNROLLED
    for (int c = E::info.count() - 1; c >= E::info.first_state(); --c)
      if (!(number(c) - number(c) == 0.0)) first = c;
    if (first >= 0)
      tell(network_.failure,
           {Failure::Kind::not_finite, arrays_.number, neuron_, 0, first, 0.0, step});
  }

  // Their code is not to lie among what every step runs, and a neuron not in memory for their sake.
  __device__ __noinline__ static void bring_near(const Arrays& arrays, unsigned neuron,
                                                 double* near, unsigned stride) {
    for (int c = 0; c < E::info.count(); ++c)
      near[c * stride] = arrays.columns[c] ? arrays.columns[c][neuron] : arrays.ones[c];
  }
  __device__ __noinline__ static void put_back(const Arrays& arrays, unsigned neuron,
                                               const double* near, unsigned stride) {
    for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
      if (arrays.columns[c]) arrays.columns[c][neuron] = near[c * stride];
  }

  const PointNetwork& network_;
  const Arrays& arrays_;
  const unsigned neuron_;
  typename E::template Variables<double> variables_;
};

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

/// Whether anything is recorded at a boundary.
inline __device__ bool is_sampled(const PointNetwork& network, long long step) {
  if (network.sample_count == 0) return false;
  for (unsigned r = 0; r < network.recording_count; ++r)
    if (network.recordings[r].sample_at(step) >= 0) return true;
  return false;
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
  network.thresholds = near(network.thresholds);
  return network;
}

}  // namespace hillock::simulator::on_device
