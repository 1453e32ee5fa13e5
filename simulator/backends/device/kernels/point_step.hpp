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
#include "simulator/step/point_step.hpp"

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
    const long long own = step::own_step(step, arrays_.run_steps);
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
    Step neuron{*this, drawn, false};
    step::take_point_step(neuron, step, step == kept);
    return neuron.is_spike;
  }

  /// Whether spikes of its population have synapses that are soon.
  __device__ __forceinline__ bool has_soon() const {
    return network_.sources[arrays_.number].has_soon;
  }
  /// What the log has of its spike in a step.
  __device__ __forceinline__ PointSpike spike(long long step, long long first_step) const {
    const long long time =
        step::spike_boundary(step, arrays_.run_steps, E::info.spikes_at_beginning);
    return {arrays_.first_cell + index(), arrays_.number, static_cast<int>(time - first_step)};
  }

 private:
  /// The executor of step/point_step.hpp that is one neuron.
  struct Step {
    PointNeuron& neuron;
    const DrawnInput& drawn;
    bool is_spike;

    __device__ __forceinline__ long long run_steps() const { return neuron.arrays_.run_steps; }
    __device__ __forceinline__ double dt_ms() const { return neuron.arrays_.dt_ms; }
    __device__ __forceinline__ void take_inputs(long long own) { neuron.take_inputs(own, drawn); }
    __device__ __forceinline__ bool advance(double end_ms, bool settles, bool is_checked) {
      if (settles) HILLOCK_UNROLLED
      for (int c = mechanisms::first_settled(E::info); c < E::info.count(); ++c)
        neuron.number(c) = mechanisms::settled(neuron.number(c));
      E::template advance<double>(neuron.variables_,
                                  {0.0, end_ms, neuron.arrays_.dt_ms, neuron.network_.celsius,
                                   neuron.arrays_.implicit_dt_ms});
      if constexpr (E::info.spike >= 0) is_spike = neuron.number(E::info.spike) != 0.0;
      return !is_checked || neuron.first_not_finite() < 0;
    }
    __device__ __forceinline__ void check_finite(long long step) const {
      neuron.check_finite(step);
    }
  };

  __device__ __forceinline__ double& number(int variable) {
    return array_of<double>(variables_)[variable];
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

  /// The first variable that advances and is no finite number; -1: none.
  __device__ __forceinline__ int first_not_finite() {
    int first = -1;
    HILLOCK_UNROLLED
    for (int c = E::info.count() - 1; c >= E::info.first_state(); --c)
      if (!(number(c) - number(c) == 0.0)) first = c;
    return first;
  }
  __device__ __forceinline__ void check_finite(long long step) {
    const int first = first_not_finite();
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
