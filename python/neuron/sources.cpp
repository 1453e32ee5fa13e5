// Sources of spikes that are numbers of mechanisms, `NetCon(&point.x, target)`, of which NEURON
// hands over none: which there are, and out of its sight while it hands over the rest.

#include "sources.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

#include "objects.hpp"

using namespace of_hillock;

namespace {

// Words of NEURON's PreSyn.
constexpr std::size_t flag_at = 5, threshold_at = 9, number_at = 11;
constexpr std::size_t words_of_number_in_8 = 1, words_of_number_in_9 = 4;
constexpr std::size_t item_in_8 = 19, item_in_9 = 21, gid_in_8 = 22, gid_in_9 = 24;

/// Of NEURON's lists, which are rings; that which has nothing is the list itself.
struct Item {
  void* what;
  Item *next, *before;
};

struct Source {
  void** words;

  std::size_t size() const {
    return sizeof(void*) * (is_9() ? words_of_number_in_9 : words_of_number_in_8);
  }
  Item* item() const { return static_cast<Item*>(words[is_9() ? item_in_9 : item_in_8]); }
  double threshold() const {
    double mV = 0;
    std::memcpy(&mV, words + threshold_at, sizeof mV);
    return mV;
  }
  int gid() const {
    std::array<int, 2> numbers{};
    std::memcpy(numbers.data(), words + (is_9() ? gid_in_9 : gid_in_8), sizeof numbers);
    return numbers[1];
  }
  bool* flag() const { return reinterpret_cast<bool*>(words + flag_at); }
};

/// As POINTERs have it; of type -1 voltages.
bool find(const Source& source, int& type, int& index) {
  static void* const find = of_neuron(
      is_9() ? "_Z19nrn_dblpntr2nrncoreN6neuron9container11data_handleIdEER9NrnThreadRiS5_"
             : "nrn_dblpntr2nrncore");
  void* const at = is_9() ? static_cast<void*>(source.words + number_at) : source.words[number_at];
  return find && at &&
         as<int(void*, void*, int&, int&)>(find)(at, address_of_thread(0), type, index) == 0;
}

void link() {
  static void* const link = of_neuron("_ZN8NetCvode12update_ps2ntEv");
  static void* const all = of_neuron("net_cvode_instance");
  as<void(void*)>(link)(*static_cast<void**>(all));
}

/// The list that has an item.
const Item* list_of(const Item* item) {
  while (item->what) item = item->next;
  return item;
}

}  // namespace

void of_hillock::add_in_order(void* source, std::map<const void*, std::size_t>& order) {
  static void* const table = of_neuron("_ZTV6PreSyn");
  order.try_emplace(source, 0);
  const Item* const item =
      table && is_of_class(source, table) ? Source{static_cast<void**>(source)}.item() : nullptr;
  if (!item || item->what != source) return;
  std::size_t number = 0;
  for (const Item* one = list_of(item)->next; one->what; one = one->next)
    if (std::size_t& known = order[one->what]; known == 0) known = ++number;
}

/// A NetCon's source, by which NEURON knows it; null where it has none. netcon: the object in hoc.
HILLOCK_SHOWN void* hillock_source_of(const void* netcon) {
  const auto* found = static_cast<const NetCon*>(static_cast<const Object*>(netcon)->what);
  return found ? found->source : nullptr;
}

/// Whether a source passes a threshold, and is no cell or point by itself.
HILLOCK_SHOWN int hillock_has_threshold(void* source) {
  void** const words = static_cast<void**>(source) + number_at;
  return std::any_of(words, words + (is_9() ? 3 : 1), [](void* word) { return word; }) ? 1 : 0;
}

struct HillockCrossing {
  void* source;
  double threshold;
  int type, index;  ///< as POINTERs have them; of type -1000 it is none of a mechanism's numbers
  int gid, is_above;
};

/// All sources of the first thread that are no voltages, to be freed. source: any that has a
/// threshold. Returns -1 where NEURON is built in another way than is known, -2 where that source
/// has none.
HILLOCK_SHOWN int hillock_crossings(void* source, HillockCrossing** found) {
  static void* const table = of_neuron("_ZTV6PreSyn");
  if (!table || !of_neuron("_ZN8NetCvode12update_ps2ntEv") || !is_of_class(source, table))
    return -1;
  const Item* const first = Source{static_cast<void**>(source)}.item();
  if (!first) return -2;
  std::vector<HillockCrossing> crossings;
  const Item* item = first;
  do {
    if (item->what) {
      const Source one{static_cast<void**>(item->what)};
      if (!is_of_class(one.words, table)) return -1;
      constexpr int unknown = -1000, voltage = -1;
      int type = unknown, index = 0;
      if (!find(one, type, index)) type = unknown;
      if (type != voltage)
        crossings.push_back(
            {one.words, one.threshold(), type, index, one.gid(), *one.flag() ? 1 : 0});
    }
    item = item->next;
  } while (item != first);
  *found = copied(crossings);
  return static_cast<int>(crossings.size());
}

/// They have no number, and NEURON looks at them no more, until hillock_show_sources(). kept: 32
/// bytes each.
HILLOCK_SHOWN void hillock_hide_sources(void* const* sources, std::size_t count, char* kept) {
  constexpr std::size_t room = sizeof(void*) * words_of_number_in_9;
  for (std::size_t s = 0; s < count; ++s) {
    const Source one{static_cast<void**>(sources[s])};
    std::memcpy(kept + room * s, one.words + number_at, one.size());
    std::memset(one.words + number_at, 0, one.size());
  }
  link();
}

/// flags: whether each was above its threshold when NEURON last looked.
HILLOCK_SHOWN void hillock_show_sources(void* const* sources, std::size_t count, const char* kept,
                                        const int* flags) {
  constexpr std::size_t room = sizeof(void*) * words_of_number_in_9;
  for (std::size_t s = 0; s < count; ++s) {
    const Source one{static_cast<void**>(sources[s])};
    std::memcpy(one.words + number_at, kept + room * s, one.size());
    *one.flag() = flags[s] != 0;
  }
  link();
}
