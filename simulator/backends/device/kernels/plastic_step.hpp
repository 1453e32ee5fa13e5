#pragma once
// Plastic synapses on a device: spikes are noted with the traces that they find, and passed in the
// step in which they arrive. What one thread or warp does; the kernels come with a network's
// mechanisms (point_source.hpp).

#include "simulator/backends/device/kernels/point_views.hpp"

namespace hillock::simulator::on_device {

inline __device__ PastSpike last_of(const PastSpikesView& spikes, unsigned neuron) {
  const unsigned count = spikes.count(neuron);
  return count > 0 ? spikes.at(neuron, count - 1) : PastSpike{};
}
inline __device__ void note(const PastSpikesView& spikes, unsigned neuron, const PastSpike& spike) {
  const unsigned count = spikes.counts[neuron];
  spikes.at(neuron, count) = spike;
  spikes.counts[neuron] = count + 1;
}

/// A source's spike, unless it is known.
inline __device__ void note_source(const PlasticTableView& table, unsigned long long cell,
                                   long long time) {
  const unsigned long long source = cell - table.first_source;  // huge where before it
  if (source >= table.source_count) return;
  const auto neuron = static_cast<unsigned>(source);
  const PastSpike last = last_of(table.source_spikes, neuron);
  if (time > last.step) note(table.source_spikes, neuron, table.rule.next_source(last, time));
}

inline __device__ void note_target(const PlasticNetwork& plastic, const PlasticTableView& table,
                                   unsigned neuron, long long time) {
  const PastSpikesView& spikes = table.target_spikes;
  note(spikes, neuron, table.rule.next_target(last_of(spikes, neuron), time));
  const unsigned later = spikes.count(neuron) + plastic.margin;
  if (later > spikes.slots && spikes.at(neuron, later - spikes.slots).step >
                                  table.rule.settled_until(plastic.settled_to, table.longest))
    *plastic.is_full = 1;
}

/// A spike of a neuron that the device has.
inline __device__ void note_spike(const PlasticNetwork& plastic, const PointSpike& spike,
                                  unsigned neuron, long long first_step) {
  for (unsigned t = 0; t < plastic.table_count; ++t) {
    const PlasticTableView& table = plastic.tables[t];
    const long long time = first_step + spike.step;
    if (table.source_population == spike.population) note_source(table, spike.cell, time);
    if (table.target_population == spike.population) note_target(plastic, table, neuron, time);
  }
}

/// Spikes from elsewhere, by cell and time: the first one's thread notes all of a cell.
inline __device__ void note_given(const PlasticNetwork& plastic, const PointSpike* spikes,
                                  unsigned count, long long first_step, unsigned i) {
  if (i >= count || (i > 0 && spikes[i - 1].cell == spikes[i].cell)) return;
  for (unsigned k = i; k < count && spikes[k].cell == spikes[i].cell; ++k)
    for (unsigned t = 0; t < plastic.table_count; ++t)
      if (plastic.tables[t].source_population == spikes[k].population)
        note_source(plastic.tables[t], spikes[k].cell, first_step + spikes[k].step);
}

/// The first of synapses [begin, end) whose delay is no shorter.
inline __device__ unsigned first_with(const PlasticTableView& table, unsigned begin, unsigned end,
                                      long long delay) {
  while (begin < end) {
    const unsigned middle = begin + (end - begin) / 2;
    if (table.delays[middle] < delay)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// Passes a spike through one synapse, as it arrives.
inline __device__ void arrive(const PlasticNetwork& plastic, const PlasticTableView& table,
                              unsigned synapse, long long delay, const PastSpike& before,
                              long long step) {
  const StdpRule& rule = table.rule;
  const unsigned target = table.targets[synapse];
  const long long shift = rule.shift(delay), came = step - delay + shift;
  const double settled =
      rule.settled(table.weights[synapse], table.target_spikes, target, before, shift,
                   rule.settled_until(plastic.settled_to, delay), rule.last_before(came));
  const double weight = rule.passed(settled, table.target_spikes, target, came);
  table.weights[synapse] = weight;
  // 1.5 · 2^52: adding it rounds to an integer, halves to the even one.
  constexpr double to_integer = 6755399441055744.0;
  table.inputs.add(step, target,
                   static_cast<long long>((weight * table.sums_of_one + to_integer) - to_integer));
}

/// Passes a piece of what a spike arrives at before a step. lane of lanes: which thread of a warp.
inline __device__ void arrive_all(const PlasticNetwork& plastic, const PlasticTableView& table,
                                  const PointSpike& spike, unsigned piece, long long first_step,
                                  long long step, unsigned lane, unsigned lanes) {
  const unsigned long long source = spike.cell - table.first_source;  // huge where before it
  if (spike.population != table.source_population || source >= table.source_count) return;
  const long long time = first_step + spike.step, delay = step - time;
  unsigned begin = table.first[source], end = table.first[source + 1];
  if (table.delays) {
    begin = first_with(table, begin, end, delay);
    end = first_with(table, begin, end, delay + 1);
  }
  if (begin == end) return;
  const auto neuron = static_cast<unsigned>(source);
  const unsigned number = table.source_spikes.count_until(neuron, time - 1);
  PastSpike before;
  if (number > table.source_spikes.oldest(neuron))
    before = table.source_spikes.at(neuron, number - 1);
  for (unsigned s = begin + piece * lanes + lane; s < end; s += table.pieces * lanes)
    arrive(plastic, table, s, delay, before, step);
}

/// All spikes that arrive before a step, worker by worker. They are in two lists: what was there
/// when the epoch began, and its log, which has `logged` spikes so far.
inline __device__ void pass_plastic(const PointNetwork& network, long long step,
                                    long long first_step, unsigned logged, unsigned worker,
                                    unsigned workers, unsigned lane, unsigned lanes) {
  const PlasticNetwork& plastic = network.plastic;
  const auto later = [](long long a, long long b) { return a > b ? a : b; };
  const auto sooner = [](long long a, long long b) { return a < b ? a : b; };
  for (unsigned t = 0; t < plastic.table_count; ++t) {
    const PlasticTableView& table = plastic.tables[t];
    const long long from = step - table.longest, to = step - table.shortest;  // times of spikes
    unsigned own_begin = 0, own_end = 0, given_begin = 0, given_end = 0;
    const long long own_from = later(from - table.delay_of_time, first_step);
    const long long own_to = sooner(to - table.delay_of_time, step - 1);  // steps of spikes
    if (own_from <= own_to) {
      own_begin = plastic.begins[own_from - first_step];
      own_end = own_to == step - 1 ? logged : plastic.begins[own_to + 1 - first_step];
    }
    const long long given_from = later(from, plastic.given_from), given_to = sooner(to, first_step);
    if (given_from <= given_to) {
      given_begin = plastic.given_begins[given_from - plastic.given_from];
      given_end = plastic.given_begins[given_to + 1 - plastic.given_from];
    }
    const unsigned own = own_end - own_begin;
    const auto items =
        static_cast<unsigned long long>(own + given_end - given_begin) * table.pieces;
    for (unsigned long long item = worker; item < items; item += workers) {
      const auto i = static_cast<unsigned>(item / table.pieces);
      const PointSpike spike =
          i < own ? network.log.spikes[own_begin + i] : plastic.given[given_begin + i - own];
      arrive_all(plastic, table, spike, static_cast<unsigned>(item % table.pieces), first_step,
                 step, lane, lanes);
    }
  }
}

/// Lets all weights feel the targets' spikes that came to their synapses before step `now`.
inline __device__ void settle_plastic(const PlasticNetwork& plastic, long long now, unsigned worker,
                                      unsigned workers, unsigned lane, unsigned lanes) {
  for (unsigned t = 0; t < plastic.table_count; ++t) {
    const PlasticTableView& table = plastic.tables[t];
    for (unsigned long long source = worker; source < table.source_count; source += workers) {
      const auto neuron = static_cast<unsigned>(source);
      for (unsigned s = table.first[source] + lane; s < table.first[source + 1]; s += lanes) {
        const long long delay = table.delays ? table.delays[s] : table.shortest;
        const unsigned number = table.source_spikes.count_until(neuron, now - 1 - delay);
        if (number == table.source_spikes.oldest(neuron)) continue;
        table.weights[s] =
            table.rule.settled(table.weights[s], table.target_spikes, table.targets[s],
                               table.source_spikes.at(neuron, number - 1), table.rule.shift(delay),
                               table.rule.settled_until(plastic.settled_to, delay),
                               table.rule.settled_until(now, delay));
      }
    }
  }
}

/// Writes the weights that are recorded at a boundary, for which they are settled. worker of
/// workers: which thread of how many.
inline __device__ void sample_weights(const PointNetwork& network, long long step, unsigned worker,
                                      unsigned workers) {
  for (unsigned r = 0; r < network.plastic.recorded_count; ++r) {
    const RecordedWeightsView& recorded = network.plastic.recorded[r];
    const Recording& recording = network.recordings[recorded.recording];
    const long long number = recording.sample_at(step);
    if (number < 0) continue;
    double* const row =
        recording.rows +
        static_cast<unsigned long long>(number - recording.first_sample) * recording.columns;
    const double* const weights = network.plastic.tables[recorded.table].weights;
    for (unsigned s = worker; s < recorded.synapses; s += workers)
      row[recorded.columns[s]] = weights[s];
  }
}

}  // namespace hillock::simulator::on_device
