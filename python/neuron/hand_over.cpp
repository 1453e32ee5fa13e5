// The library that NEURON loads in CoreNEURON's place (CORENEURONLIB): `psolve` hands the model of
// the session over to it. It has no numbers of its own: what is said in C++'s containers it passes
// on as arrays, and Python's package does the rest (hillock/_neuron_hand_over.py, which asks for
// everything else by the pointers below). Declarations are those of NEURON 8.2 ("1.5") and 9.0
// ("1.8"): src/nrniv/nrncore_write/callbacks/nrncore_callbacks.h. Links to nothing of ours, and
// shares the C++ library with NEURON, whose containers it takes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "objects.hpp"
#include "spikes.hpp"

using namespace of_hillock;

/// NEURON puts its functions here before it calls corenrn_embedded_run().
#define HILLOCK_CALLBACK(name)                                 \
  extern "C" {                                                 \
  __attribute__((visibility("default"))) void* name = nullptr; \
  }
HILLOCK_CALLBACK(core2nrn_NetCon_event_)
HILLOCK_CALLBACK(core2nrn_PreSyn_flag_)
HILLOCK_CALLBACK(core2nrn_SelfEvent_event_)
HILLOCK_CALLBACK(core2nrn_SelfEvent_event_noweight_)
HILLOCK_CALLBACK(core2nrn_clear_queues_)
HILLOCK_CALLBACK(core2nrn_corepointer_mech_)
HILLOCK_CALLBACK(core2nrn_nmodlrandom_)
HILLOCK_CALLBACK(core2nrn_vecplay_)
HILLOCK_CALLBACK(core2nrn_vecplay_events_)
HILLOCK_CALLBACK(core2nrn_watch_activate_)
HILLOCK_CALLBACK(core2nrn_watch_clear_)
HILLOCK_CALLBACK(nrn2core_all_spike_vectors_return_)
HILLOCK_CALLBACK(nrn2core_all_weights_return_)
HILLOCK_CALLBACK(nrn2core_get_dat1_)
HILLOCK_CALLBACK(nrn2core_get_dat2_1_)
HILLOCK_CALLBACK(nrn2core_get_dat2_2_)
HILLOCK_CALLBACK(nrn2core_get_dat2_3_)
HILLOCK_CALLBACK(nrn2core_get_dat2_corepointer_)
HILLOCK_CALLBACK(nrn2core_get_dat2_corepointer_mech_)
HILLOCK_CALLBACK(nrn2core_get_dat2_mech_)
HILLOCK_CALLBACK(nrn2core_get_dat2_vecplay_)
HILLOCK_CALLBACK(nrn2core_get_dat2_vecplay_inst_)
HILLOCK_CALLBACK(nrn2core_get_dat3_cell_count_)
HILLOCK_CALLBACK(nrn2core_get_dat3_cellmapping_)
HILLOCK_CALLBACK(nrn2core_get_dat3_secmapping_)
HILLOCK_CALLBACK(nrn2core_get_global_dbl_item_)
HILLOCK_CALLBACK(nrn2core_get_global_int_item_)
HILLOCK_CALLBACK(nrn2core_get_partrans_setup_info_)
HILLOCK_CALLBACK(nrn2core_get_trajectory_requests_)
HILLOCK_CALLBACK(nrn2core_group_ids_)
HILLOCK_CALLBACK(nrn2core_mkmech_info_)
HILLOCK_CALLBACK(nrn2core_part2_clean_)
HILLOCK_CALLBACK(nrn2core_patternstim_)
HILLOCK_CALLBACK(nrn2core_subworld_info_)
HILLOCK_CALLBACK(nrn2core_trajectory_return_)
HILLOCK_CALLBACK(nrn2core_trajectory_values_)
HILLOCK_CALLBACK(nrn2core_transfer_PreSyn_flag_)
HILLOCK_CALLBACK(nrn2core_transfer_tqueue_)
HILLOCK_CALLBACK(nrn2core_transfer_watch_)
HILLOCK_CALLBACK(nrn2core_type_return_)

namespace {

/// What Python is called with: how the run was asked for. Returns 0, or 1 with text in `problem`.
using Run = int(int threads, int has_gaps, const char* argument, char* problem, std::size_t size);
/// What Python is called with before NEURON lays out what it hands over, and once spikes are noted
/// and all is NEURON's again.
using Beside = int(char* problem, std::size_t size);
Run* run = nullptr;
Beside *prepare = nullptr, *finish = nullptr;
char problem[65536];
bool is_clean = true;

/// Has the Python of this process import the part of the package that calls hillock_set_run().
/// Returns whether there is one.
bool import_package() {
  using Ensure = int();
  using Release = void(int);
  using Simple = int(const char*);
  void* ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
  void* release = dlsym(RTLD_DEFAULT, "PyGILState_Release");
  void* simple = dlsym(RTLD_DEFAULT, "PyRun_SimpleString");
  Dl_info here{};
  if (!ensure || !release || !simple || dladdr(&is_clean, &here) == 0) return false;
  const auto beside = std::filesystem::absolute(here.dli_fname).parent_path();
  const bool is_inside = std::filesystem::exists(beside / "__init__.py");
  const std::string folder = (is_inside ? beside.parent_path() : beside / "python").string();
  const std::string text =
      "import sys\ntry:\n  import hillock\nexcept ImportError:\n  sys.path.append(R'''" + folder +
      "''')\nimport hillock._neuron_take_over\nhillock._neuron_take_over.attend()\n";
  const int state = as<Ensure>(ensure)();
  const bool is_done = as<Simple>(simple)(text.c_str()) == 0;
  as<Release>(release)(state);
  return is_done;
}

/// NEURON makes room for what it knows of its mechanisms once; there may be new ones, of the
/// ChannelBuilder.
void make_room_for_mechanisms() {
  for (const char* name : {"bbcore_dparam_size", "_ZN9CellGroup14has_net_event_E"})
    if (void* const room = of_neuron(name))
      delete[] std::exchange(*static_cast<int**>(room), nullptr);
}

}  // namespace

HILLOCK_SHOWN const char* corenrn_version() {
  const char* found = version_of_neuron();
  if (std::strcmp(found, version_of_8) != 0 && std::strcmp(found, version_of_9) != 0)
    fail("this NEURON is neither 8.2 nor 9.0");
  if (!run && !import_package()) fail("this NEURON has no Python, or it cannot import hillock");
  if (prepare(problem, sizeof problem) != 0) fail(problem);
  make_room_for_mechanisms();
  return found;
}

HILLOCK_SHOWN bool corenrn_units_use_legacy() {
  // Asked before the callbacks are set: NEURON's own number, so that both agree.
  const void* legacy = of_neuron("_nrnunit_use_legacy_");
  return legacy && *static_cast<const int*>(legacy) == 1;
}

HILLOCK_SHOWN int corenrn_embedded_run(int threads, int has_gaps, int /*uses_mpi*/,
                                       int /*fast_imem*/, const char* /*mpi_library*/,
                                       const char* argument) {
  problem[0] = 0;
  is_clean = false;
  forget_spikes();
  int failed = run(threads, has_gaps, argument, problem, sizeof problem);
  if (!is_clean) as<void()>(nrn2core_part2_clean_)();
  is_clean = true;
  if (!failed) {
    note_spikes();
    failed = finish(problem, sizeof problem);
  }
  if (failed) fail(problem);
  return 0;
}

HILLOCK_SHOWN void hillock_set_run(Beside* first, Run* to, Beside* then) {
  prepare = first;
  run = to;
  finish = then;
}

/// From now on an error of hoc's ends the process, where NEURON 8.2 would go on behind the
/// statement.
HILLOCK_SHOWN void hillock_end_by_errors() {
  if (void* const target = of_neuron("oc_jump_target_"))
    *static_cast<void (**)()>(target) = [] { std::_Exit(1); };
}

HILLOCK_SHOWN int hillock_is_9() {
  return is_9() ? 1 : 0;
}

HILLOCK_SHOWN void hillock_free(void* memory) {
  ::operator delete[](memory);
}

/// After the model was read: NEURON forgets what it made for that.
HILLOCK_SHOWN void hillock_clean() {
  as<void()>(nrn2core_part2_clean_)();
  is_clean = true;
}

/// A line for each mechanism, as bbcore_mech.dat has them. To be freed.
HILLOCK_SHOWN char* hillock_mechanisms() {
  std::ostringstream text;
  as<void(std::ostream&)>(nrn2core_mkmech_info_)(text);
  const std::string all = text.str();
  auto* copy = new char[all.size() + 1];
  std::memcpy(copy, all.c_str(), all.size() + 1);
  return copy;
}

/// counts: nodes, mechanisms, NetCons, weights, sources of spikes, those of them that are voltages,
/// and `threads`. types, instances: [mechanism], gids: [source], of_netcons: [NetCon] the gid of
/// its source, or -(type + 1000·instance), or -1; threads: of those instances, where there are
/// several; to be freed.
HILLOCK_SHOWN int hillock_counts(int thread, int* counts, int** types, int** instances, int** gids,
                                 int** of_netcons, int** threads) {
  int cells = 0, outputs = 0, diameters = 0, integers = 0, pointers = 0;
  std::vector<int> negative;
  const auto give_threads = [&] {
    counts[6] = static_cast<int>(negative.size());
    *threads = copied(negative);
  };
  if (is_9()) {
    std::vector<int> all;
    as<int(int, int&, int&, std::vector<int>&, int*&, std::vector<int>&)>(nrn2core_get_dat1_)(
        thread, counts[4], counts[2], all, *of_netcons, negative);
    *gids = copied(all);
    give_threads();
    return as<int(int, int&, int&, int&, int&, int&, int&, int*&, int*&, int&, int&, int&)>(
        nrn2core_get_dat2_1_)(thread, cells, outputs, counts[5], counts[0], diameters, counts[1],
                              *types, *instances, integers, pointers, counts[3]);
  }
  as<int(int, int&, int&, int*&, int*&, std::vector<int>&)>(nrn2core_get_dat1_)(
      thread, counts[4], counts[2], *gids, *of_netcons, negative);
  give_threads();
  return as<int(int, int&, int&, int&, int&, int&, int*&, int*&, int&, int&, int&)>(
      nrn2core_get_dat2_1_)(thread, outputs, counts[5], counts[0], diameters, counts[1], *types,
                            *instances, integers, pointers, counts[3]);
}

/// with_pointers: how many mechanisms before this one have any. nodes: [instance], freed by the C
/// library; null of artificial cells. data: [instance][number], there already; pointers too, or
/// null. Returns how many kinds of POINTER targets there are, in `kinds`, to be freed. streams: of
/// its RANDOMs, how many there are, `stream_count` in all, to be freed: how many RANDOMs, where
/// NEURON has each, then of one after the other [instance] three ids and where it stands.
HILLOCK_SHOWN int hillock_mechanism(int thread, std::size_t mechanism, int with_pointers,
                                    int** nodes, double* data, int* pointers, int** kinds,
                                    std::uint32_t** stream_words, int* stream_count) {
  std::vector<int> types;
  std::vector<std::uint32_t> streams;
  if (is_9()) {
    as<int(int, std::size_t, int, int*&, double*&, int*&, std::vector<std::uint32_t>&,
           std::vector<int>&)>(nrn2core_get_dat2_mech_)(thread, mechanism, with_pointers, *nodes,
                                                        data, pointers, streams, types);
  } else {
    as<int(int, std::size_t, int, int*&, double*&, int*&, std::vector<int>&)>(
        nrn2core_get_dat2_mech_)(thread, mechanism, with_pointers, *nodes, data, pointers, types);
  }
  *kinds = copied(types);
  *stream_words = copied(streams);
  *stream_count = static_cast<int>(streams.size());
  return static_cast<int>(types.size());
}

/// Where a thread's RANDOMs of a mechanism stand now. indices: where NEURON has each; numbers: of
/// one after the other, [instance].
HILLOCK_SHOWN void hillock_put_randoms(int thread, int type, const int* indices,
                                       std::size_t randoms, const double* numbers,
                                       std::size_t count) {
  as<int(int, int, const std::vector<int>&, const std::vector<double>&)>(core2nrn_nmodlrandom_)(
      thread, type, {indices, indices + randoms}, {numbers, numbers + count});
}

/// What ParallelContext's source_var and target_var join on a thread: sources and targets, `counts`
/// of them, each an id, a type and an index (as POINTERs have them), one after the other, to be
/// freed.
HILLOCK_SHOWN void hillock_transfers(int thread, int threads, int* counts, int** found) {
  struct Transfers {
    std::vector<int> source_ids, source_types, source_indices;
    std::vector<int> target_ids, target_types, target_indices;
  };
  Transfers* const all = as<Transfers*(int, int, std::size_t)>(nrn2core_get_partrans_setup_info_)(
      threads, threads, sizeof(int));
  const Transfers& own = all[thread];
  std::vector<int> numbers;
  for (std::size_t s = 0; s < own.source_ids.size(); ++s)
    numbers.insert(numbers.end(), {own.source_ids[s], own.source_types[s], own.source_indices[s]});
  for (std::size_t t = 0; t < own.target_ids.size(); ++t)
    numbers.insert(numbers.end(), {own.target_ids[t], own.target_types[t], own.target_indices[t]});
  counts[0] = static_cast<int>(own.source_ids.size());
  counts[1] = static_cast<int>(own.target_ids.size());
  *found = copied(numbers);
  delete[] all;
}

/// The Vectors that are played, linear between times, on a thread: how many, and of each its number
/// in NEURON's list, a type and an index (as POINTERs have them) and how many rows, one after the
/// other; rows: all times of the first, its values, then the next; both to be freed. NEURON ends
/// the process where some Vector is played in steps.
HILLOCK_SHOWN int hillock_played(int thread, int** found, double** rows) {
  std::vector<int> plays, numbers;
  std::vector<double> all;
  as<int(int, std::vector<int>&)>(nrn2core_get_dat2_vecplay_)(thread, plays);
  const std::vector<void*> of_session = plays_of_session();
  for (const int play : plays) {
    int kind = 0, type = 0, index = 0, size = 0, last = 0, discontinuity = 0, bound = 0;
    double *values = nullptr, *times = nullptr;
    as<int(int, int, int&, int&, int&, int&, double*&, double*&, int&, int&, int&)>(
        nrn2core_get_dat2_vecplay_inst_)(thread, play, kind, type, index, size, values, times, last,
                                         discontinuity, bound);
    if (const int known = count_of_times(of_session, play); known >= 0)
      size = std::min(size, known);
    numbers.insert(numbers.end(), {play, type, index, size});
    all.insert(all.end(), times, times + size);
    all.insert(all.end(), values, values + size);
  }
  *found = copied(numbers);
  *rows = copied(all);
  return static_cast<int>(plays.size());
}

/// The numbers of a thread's Vectors that are played, linear between times.
HILLOCK_SHOWN int hillock_plays(int thread, int** found) {
  std::vector<int> plays;
  as<int(int, std::vector<int>&)>(nrn2core_get_dat2_vecplay_)(thread, plays);
  *found = copied(plays);
  return static_cast<int>(plays.size());
}

/// NEURON's own numbers get other values. type: a mechanism's, or negative ones of NEURON's.
/// data: [instance][number], `variables` of them of so many numbers each. Returns how many
/// instances NEURON has; where these are others nothing is done.
HILLOCK_SHOWN std::size_t hillock_put(int thread, int type, std::size_t instances, int variables,
                                      const int* sizes, const double* data) {
  double* whole = nullptr;
  std::size_t size = 0;
  for (int v = 0; v < variables; ++v) size += static_cast<std::size_t>(sizes[v]);
  if (is_9()) {
    std::vector<double*> columns;
    const std::size_t there = as<std::size_t(int, int, double*&, std::vector<double*>&)>(
        nrn2core_type_return_)(type, thread, whole, columns);
    if (there != instances) return there;
    if (whole) std::memcpy(whole, data, instances * sizeof(double));
    for (std::size_t i = 0, at = 0; i < instances && !whole; ++i)
      for (std::size_t v = 0; v < columns.size() && v < static_cast<std::size_t>(variables); ++v)
        for (int k = 0; k < sizes[v]; ++k)
          columns[v][i * static_cast<std::size_t>(sizes[v]) + static_cast<std::size_t>(k)] =
              data[at++];
    return there;
  }
  double** rows = nullptr;
  const std::size_t there = as<std::size_t(int, int, double*&, double**&)>(nrn2core_type_return_)(
      type, thread, whole, rows);
  if (there != instances) return there;
  if (whole) std::memcpy(whole, data, instances * sizeof(double));
  for (std::size_t i = 0; i < instances && rows; ++i)
    std::memcpy(rows[i], data + i * size, size * sizeof(double));
  return there;
}

/// What a thread records: `count` numbers of NEURON's. values: [step][number].
struct HillockSteps {
  int thread, records;
  void** objects;
  std::size_t count;
  double** numbers;
  const double* values;
};

/// Step after step the recorded numbers get their values, whoever records them hears of it, and
/// where `every` steps are done plot() is called.
HILLOCK_SHOWN void hillock_give_steps(std::size_t threads, const HillockSteps* of_threads,
                                      std::size_t steps, const double* times, std::size_t every,
                                      void (*plot)()) {
  const auto give = as<void(int, int, void**, double)>(nrn2core_trajectory_values_);
  for (std::size_t step = 0; step < steps; ++step) {
    for (const HillockSteps* of = of_threads; of < of_threads + threads; ++of) {
      for (std::size_t k = 0; k < of->count; ++k)
        *of->numbers[k] = of->values[step * of->count + k];
      give(of->thread, of->records, of->objects, times[step]);
    }
    if ((step + 1) % every == 0) plot();
  }
}

/// Where a number of NEURON's is. type, index: as POINTERs have them; sizes: of the type's
/// variables.
HILLOCK_SHOWN double* hillock_where(int thread, int type, int index, int variables,
                                    const int* sizes) {
  double* whole = nullptr;
  int size = 0;
  for (int v = 0; v < variables; ++v) size += sizes[v];
  if (is_9()) {
    std::vector<double*> columns;
    as<std::size_t(int, int, double*&, std::vector<double*>&)>(nrn2core_type_return_)(
        type, thread, whole, columns);
    if (whole) return whole + index;
    int offset = index % size, v = 0;
    while (offset >= sizes[v]) offset -= sizes[v++];
    return columns[static_cast<std::size_t>(v)] + index / size * sizes[v] + offset;
  }
  double** rows = nullptr;
  as<std::size_t(int, int, double*&, double**&)>(nrn2core_type_return_)(type, thread, whole, rows);
  return whole ? whole + index : rows[index / size] + index % size;
}

/// weights: [thread], of all its NetCons in their order.
HILLOCK_SHOWN void hillock_put_weights(std::size_t threads, double** weights) {
  std::vector<double*> all(weights, weights + threads);
  as<void(std::vector<double*>&)>(nrn2core_all_weights_return_)(all);
}

struct HillockEvents {
  std::size_t events, integers, numbers;
  int* types;
  double* times;
  int* integer;
  double* number;
};

/// What waits in a thread's queue, which is empty then. Arrays are to be freed.
HILLOCK_SHOWN void hillock_take_events(int thread, HillockEvents* events) {
  struct Events {
    std::vector<int> types;
    std::vector<double> times;
    std::vector<int> integers;
    std::vector<double> numbers;
  };
  auto* all = as<Events*(int)>(nrn2core_transfer_tqueue_)(thread);
  *events = {all->types.size(),  all->integers.size(),  all->numbers.size(), copied(all->types),
             copied(all->times), copied(all->integers), copied(all->numbers)};
  delete all;
}

/// Nodes of a thread that are above a threshold of theirs; to be freed.
HILLOCK_SHOWN std::size_t hillock_above(int thread, int** nodes) {
  std::set<int> above;
  as<void(int, std::set<int>&)>(nrn2core_transfer_PreSyn_flag_)(thread, above);
  const std::vector<int> all(above.begin(), above.end());
  *nodes = copied(all);
  return all.size();
}

HILLOCK_SHOWN void hillock_put_above(int thread, std::size_t count, const int* nodes) {
  as<void(int, std::set<int>)>(core2nrn_PreSyn_flag_)(thread, std::set<int>(nodes, nodes + count));
}

/// The WATCHes of a mechanism that are active: of each instance so many, by the place that NEURON
/// has for each behind `first`, in the order in which they were reached. are_above: whether the
/// condition holds.
HILLOCK_SHOWN void hillock_put_watches(int thread, int type, int first, std::size_t instances,
                                       const int* counts, const int* places, const int* are_above) {
  std::vector<std::vector<std::pair<int, bool>>> all(instances);
  for (std::vector<std::pair<int, bool>>& some : all)
    for (int left = *counts++; left > 0; --left) some.emplace_back(*places++, *are_above++ != 0);
  as<void(int, int, int, std::vector<std::vector<std::pair<int, bool>>>&)>(
      core2nrn_watch_activate_)(thread, type, first, all);
}
