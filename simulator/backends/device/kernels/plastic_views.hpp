#pragma once
// What kernels find of plastic synapses in device memory: plain structs, filled by the host.
// Includes no standard header, so that NVRTC can compile it.

#include "network/propagation/input_ring_view.hpp"
#include "simulator/plasticity/stdp_rule.hpp"

namespace hillock::simulator::on_device {

struct PointSpike;

/// The plastic connections of a projection onto the neurons of one population that a device has,
/// sorted by source and delay.
struct PlasticTableView {
  StdpRule rule;
  const unsigned* first;  ///< [source] its first synapse, and where the last one's end
  unsigned long long first_source, source_count;
  unsigned source_population;  ///< as PointSpike has it
  unsigned target_population;
  int delay_of_time;  ///< of the sources: their spikes' time is so many steps after the step they
                      ///< spike in
  const unsigned* targets;
  const unsigned* delays;  ///< [synapse] in steps; null: all have `shortest`
  long long shortest, longest;
  unsigned pieces;  ///< in which a source's synapses are passed
  double* weights;
  network::InputRingView inputs;  ///< of the targets
  double sums_of_one;             ///< what a weight of 1 comes to there
  PastSpikesView source_spikes, target_spikes;
};

/// The weights of a table that a recording has.
struct RecordedWeightsView {
  unsigned table, recording;
  unsigned synapses;
  const unsigned* columns;  ///< [synapse]
};

struct PlasticNetwork {
  const PlasticTableView* tables;
  unsigned table_count;
  const RecordedWeightsView* recorded;
  unsigned recorded_count;
  long long settled_to;  ///< all weights are those before that step, or later ones
  unsigned* begins;      ///< [step of the epoch] where its spikes begin in the log
  /// The spikes since `given_from` that were there when the epoch began, by time; and where those
  /// of each step begin.
  const PointSpike* given;
  const unsigned* given_begins;
  long long given_from;
  /// Set where a neuron's next spikes, as many as these, may take the place of what is needed.
  unsigned* is_full;
  unsigned margin;
};

}  // namespace hillock::simulator::on_device
