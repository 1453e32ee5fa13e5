#pragma once
// What the kernels of point neurons find in device memory: plain structs, filled by the host.
// Includes no standard header, so that NVRTC can compile it.

#include "mechanisms/runtime/electrode.hpp"
#include "network/propagation/synapse_view.hpp"
#include "simulator/backends/device/kernels/plastic_views.hpp"
#include "simulator/backends/device/kernels/views.hpp"

namespace hillock::simulator::on_device {

/// A number of every neuron, or one for all.
template <class Number>
struct OneOrAll {
  const Number* all;  ///< null: `one`
  Number one;

  HILLOCK_FUNCTION Number operator[](unsigned i) const { return all ? all[i] : one; }
};

/// Linear between its rows, 0 before and after.
struct PointWaveform {
  const double *times_ms, *values;
  int rows;  ///< 0: there is none
};

/// What an electrode injects into neurons, one of the two.
struct PointCurrent {
  OneOrAll<mechanisms::ElectrodePulses> pulses;
  OneOrAll<PointWaveform> waveforms;
};

inline constexpr unsigned nowhere = ~0u;

/// What a stimulus draws for neurons [begin, end) of a population in every step; numbers are
/// counted from `begin`.
struct PointDraws {
  enum class Kind : unsigned { gaussian, counts, current };
  Kind kind;
  unsigned stimulus, begin, end;
  OneOrAll<double> expected;  ///< the mean, or events a step
  /// counts: where one number is expected, the first of PointNetwork's thresholds; else nowhere
  unsigned first_threshold;
  OneOrAll<double> sd;                        ///< gaussian
  OneOrAll<network::Sum> weight;              ///< counts: what an event adds
  OneOrAll<long long> first_step, last_step;  ///< not current: from one to before the other
  const PointCurrent* current;                ///< current
};

/// The neurons of one population that a device has.
template <int variables>
struct PointArrays {
  unsigned neurons;
  unsigned number;                ///< of the population among all that the device has
  unsigned long long first_cell;  ///< of the population
  const unsigned* indices;        ///< [neuron] in the population; null: its own number
  double* columns[variables];     ///< [variable][neuron]; null: the number of all
  double ones[variables];
  network::InputRingView inputs;
  double spacing;                ///< of the inputs' sums
  unsigned first_draw, draws;    ///< of the network's list
  unsigned run_steps;            ///< one of theirs takes so many
  double dt_ms, implicit_dt_ms;  ///< of one of theirs
};

/// So many neurons of a population, as many as a warp has threads, from one on.
struct PointTask {
  unsigned kind;        ///< of neurons: which mechanism
  unsigned population;  ///< among those of the kind
  unsigned begin;
};

/// A spike of which synapses are to hear.
struct PointSpike {
  unsigned long long cell;
  unsigned population;  ///< among the sources that the device knows
  int step;             ///< its time, counted from the epoch's first step
};

/// The connections of a projection onto the neurons of one population that a device has.
struct PointTable {
  network::SynapseView<unsigned> synapses;
  network::SynapseView<unsigned long long> long_synapses;  ///< where its words are not null
  network::InputRingView inputs;                           ///< of the targets
  const unsigned* first;   ///< [source] its first synapse, and where the last one's end
  const unsigned* others;  ///< [source] where those begin that are not soon; null: nobody asks
  unsigned long long first_source, source_count;
  const unsigned* sources;  ///< [synapse] the neuron, or not_here; null where nobody asks
};
inline constexpr unsigned not_here = ~0u;  ///< a neuron of another device

/// So many synapses of a source at most are passed at once.
inline constexpr unsigned synapses_of_piece = 256;

/// A part of every source's synapses in one table.
struct PointPiece {
  unsigned table;
  unsigned part;  ///< from synapse part·synapses_of_piece of each source on
};

/// The cells of a population that may be sources, and where their synapses are.
struct PointSource {
  unsigned long long first_cell;
  unsigned first_piece, pieces;
  unsigned tables;  ///< that have synapses of it: so many pieces are their first parts
  bool has_soon;    ///< synapses
  // Of a population whose neurons the device has:
  const double* spiked;     ///< [neuron] whether it spiked in the step; else null
  const unsigned* indices;  ///< as PointArrays has them
  unsigned neurons;
  int delay_of_time;  ///< its spikes' time is that many steps after the beginning of the run's step
};

/// A recorded number.
struct PointSample {
  const double* from;  ///< null: a number that never changes, `factor`
  double factor;
  unsigned recording;
  unsigned long long column;
};

/// An event of a stimulus.
struct PointInput {
  network::InputRingView to;
  long long step;  ///< before which it arrives
  network::Sum weight;
  unsigned neuron;
};

/// Counters lie so far from one another that who waits for one does not hold up another's.
inline constexpr unsigned between_counters = 32;
/// PointLog::of_steps, PointNetwork::passed and PointNetwork::barrier, one after the other.
inline constexpr unsigned all_counters = 9 * between_counters;

/// What a step's spikes are appended to, and how far it has been read.
struct PointLog {
  PointSpike* spikes;  ///< of the epoch
  unsigned* count;
  unsigned* begin;               ///< where those of steps with even and with odd numbers begin
  unsigned long long* of_steps;  ///< [step % 4 · between_counters] what PointRun counts of a step
};

/// What the host is told of an epoch, in its own memory.
struct PointTold {
  PointSpike* spikes;  ///< of the log the first, as many as have room
  unsigned most;       ///< so many have
  unsigned* count;     ///< of the log
  Failure* failure;
};

struct PointNetwork {
  const PointTask* tasks;
  unsigned task_count;
  const PointTable* tables;
  const PointPiece* pieces;
  const PointSource* sources;
  unsigned most_pieces;  ///< of a source
  const PointDraws* draws;
  /// u lies below the first of a list at which there is no event, below the second at which there
  /// is one, and so on.
  const double* thresholds;
  const PointSample* samples;
  unsigned sample_count;
  const Recording* recordings;
  unsigned recording_count;
  PointLog log;
  Failure* failure;
  unsigned long long* barrier;  ///< how many blocks have come to it so far
  unsigned long long*
      passed;  ///< [step % 4 · between_counters] how many have passed a step's spikes
  /// A spike's synapses are passed while neurons advance, but those that are soon: what reaches
  /// them is there in the next step.
  bool is_apart;
  double celsius;
  unsigned long long seed;
  PlasticNetwork plastic;
};

}  // namespace hillock::simulator::on_device
