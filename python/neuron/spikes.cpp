#include "spikes.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "objects.hpp"
#include "sources.hpp"

using namespace of_hillock;

namespace {

struct NotedSpike {
  void* source;
  double time;
};
std::vector<NotedSpike> noted_spikes;

/// As NEURON looks for them: by time, those of a step in the order in which it looks at sources.
void sort(std::vector<NotedSpike>& spikes) {
  std::map<const void*, std::size_t> order;
  for (const NotedSpike& spike : spikes)
    if (!order.contains(spike.source)) add_in_order(spike.source, order);
  std::stable_sort(spikes.begin(), spikes.end(),
                   [&](const NotedSpike& one, const NotedSpike& other) {
                     if (one.time != other.time) return one.time < other.time;
                     return order.at(one.source) < order.at(other.source);
                   });
}

}  // namespace

void of_hillock::forget_spikes() {
  noted_spikes.clear();
}

void of_hillock::note_spikes() {
  static void* const record = of_neuron("_ZN6PreSyn6recordEd");
  std::vector<NotedSpike> spikes;
  spikes.swap(noted_spikes);
  sort(spikes);
  double* const time = static_cast<double*>(of_neuron("t"));
  const double end = time ? *time : 0;
  for (const NotedSpike& spike : spikes) as<void(void*, double)>(record)(spike.source, spike.time);
  if (time) *time = end;
}

/// A spike of a NetCon's source. netcon: what hoc has of the object. Returns 0 where NEURON is
/// built in another way than is known.
HILLOCK_SHOWN int hillock_record_spike(const void* netcon, double delay, double time) {
  const auto* found = static_cast<const NetCon*>(static_cast<const Object*>(netcon)->what);
  if (!of_neuron("_ZN6PreSyn6recordEd") || !found || found->delay != delay || !found->source)
    return 0;
  noted_spikes.push_back({found->source, time});
  return 1;
}

/// A spike of the source that has that gid; the same.
HILLOCK_SHOWN int hillock_record_spike_of(int gid, double time) {
  static void* const find = of_neuron("_Z20nrn_gid2outputpresyni");
  void* const source = find ? as<void*(int)>(find)(gid) : nullptr;
  if (!source || !of_neuron("_ZN6PreSyn6recordEd")) return 0;
  noted_spikes.push_back({source, time});
  return 1;
}
