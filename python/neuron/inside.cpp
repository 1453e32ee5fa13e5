// What Python's package asks of NEURON beyond what it hands over: where its nodes and Vectors lie,
// what holds them, and what waits in its queues. By the names of functions and tables that NEURON's
// library shows, in 8.2 and 9.0; where one is missing the answer says so.

#include <cxxabi.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "objects.hpp"

using namespace of_hillock;

namespace {

/// NEURON's function that finds what a number is as it hands it over.
void* find_number() {
  return of_neuron(
      is_9() ? "_Z19nrn_dblpntr2nrncoreN6neuron9container11data_handleIdEER9NrnThreadRiS5_"
             : "nrn_dblpntr2nrncore");
}

/// What waits in a queue of NEURON's.
struct QueueItem {
  void* item;
  void* event;
  double time;
};

QueueItem item_at(void* item) {
  // Of 8.2 an item begins with a pointer to its class's functions.
  auto* const event = static_cast<void**>(item) + (is_9() ? 0 : 1);
  QueueItem read{item, *event, 0};
  std::memcpy(&read.time, event + 1, sizeof read.time);
  return read;
}

std::vector<QueueItem> items_of(void* queue) {
  static void* const for_all = of_neuron("_ZN6TQueue15forall_callbackEPFvPK6TQItemiE");
  static std::vector<void*> items;
  items.clear();
  as<void(void*, void (*)(void*, int))>(for_all)(queue,
                                                 [](void* item, int) { items.push_back(item); });
  std::vector<QueueItem> all;
  for (void* const item : items) all.push_back(item_at(item));
  return all;
}

/// Whether what lies there is one of a class of NEURON's, or of one made of it. What is freed may
/// have become anything.
bool is_a(void* object, const void* wanted) {
  static std::set<std::pair<void**, const void*>> known;  // dladdr looks through all that is shown
  if (!object) return false;
  void** const table = *static_cast<void***>(object);
  if (known.contains({table, wanted})) return true;
  Dl_info found;
  if (dladdr(table, &found) == 0 || found.dli_saddr != table - 2) return false;
  const auto* of = static_cast<const std::type_info*>(table[-1]);
  while (of != wanted) {
    const auto* const derived = dynamic_cast<const abi::__si_class_type_info*>(of);
    if (!derived) return false;
    of = derived->__base_type;
  }
  known.emplace(table, wanted);
  return true;
}

/// A thread's instances of a mechanism, as far as known of NEURON 8.2's own.
struct Instances {
  void *nodes, *indices;
  double** numbers;
  double*** pointers;  ///< [instance][what NEURON calls dparam]
  void *properties, *of_thread;
  int count;
};

/// Of one thread, one mechanism's behind another's.
struct Listed {
  const Listed* next;
  const Instances* instances;
  int type;
};

/// Where POINTERs lie among an instance's pointers, BBCOREPOINTERs with them.
std::array<int, 2> places_of_pointers(int type) {
  static void* const first = of_neuron("nrn_dparam_ptr_start_");
  static void* const end = of_neuron("nrn_dparam_ptr_end_");
  if (!first || !end) return {0, 0};
  return {(*static_cast<int**>(first))[type], (*static_cast<int**>(end))[type]};
}

/// By type, where pointers of the ChannelBuilder's mechanisms to ions' numbers lie, of which NEURON
/// 8.2 knows nothing; {0, 0} of others that it knows no numbers of.
std::map<int, std::array<int, 2>>& channels() {
  static std::map<int, std::array<int, 2>> known;
  return known;
}

/// Has Python tell of channels.
void (*ask_for_channels)() = nullptr;

/// How many numbers an instance has, by type.
int* numbers_by_type() {
  static void* const sizes = of_neuron("nrn_prop_param_size_");
  return sizes ? *static_cast<int**>(sizes) : nullptr;
}

/// As places_of_pointers(), of a mechanism that may be a channel, too.
std::array<int, 2> places_to_move(const Listed& of) {
  const bool is_known = of.instances->count == 0 || !of.instances->pointers[0] ||
                        numbers_by_type()[of.type] > 0 || channels().count(of.type) > 0;
  if (!is_known) {
    if (ask_for_channels) ask_for_channels();
    channels().try_emplace(of.type);
  }
  const auto found = channels().find(of.type);
  return found == channels().end() ? places_of_pointers(of.type) : found->second;
}

/// What a Random sets in each step, as far as known of NEURON's own; 9.0 has a handle of the
/// number.
struct RandomPlay {
  void *functions, *of_resource;
  std::size_t references;
  void* random;
  double* number;
};

/// Where NEURON has those of a session, once Python has found it.
const std::vector<RandomPlay*>* const* random_plays = nullptr;

/// Randoms set the numbers that they did, where NEURON 8.2 has just put these elsewhere.
void move_random_plays() {
  static void* const moved = of_neuron("nrn_recalc_ptr");
  static void* const leave = of_neuron("nrn_notify_pointer_disconnect");
  static void* const listen = of_neuron("nrn_notify_when_double_freed");
  static void* const listen_to_object = of_neuron("nrn_notify_when_void_freed");
  constexpr int object_at = 3;  // words of a Random
  if (!random_plays || !*random_plays || !leave || !listen || !listen_to_object) return;
  for (RandomPlay* const play : **random_plays) {
    play->number = as<double*(double*)>(moved)(play->number);
    as<void(void*)>(leave)(play);
    as<void(double*, void*)>(listen)(play->number, play);
    as<void(void*, void*)>(listen_to_object)(static_cast<void**>(play->random)[object_at], play);
  }
}

/// POINTERs, and channels' pointers to ions, stand for what they did, and Randoms set it, where
/// NEURON 8.2 has just put its numbers elsewhere.
void move_pointers() {
  move_random_plays();
  static void* const moved = of_neuron("nrn_recalc_ptr");
  static void* const threads = of_neuron("nrn_nthread");
  constexpr int list_at = 3;  // words from where a thread begins
  for (int thread = 0; thread < *static_cast<int*>(threads); ++thread) {
    const auto* const words = static_cast<const Listed* const*>(address_of_thread(thread));
    for (const Listed* of = words ? words[list_at] : nullptr; of; of = of->next) {
      const auto [first, end] = places_to_move(*of);
      for (int i = 0; first < end && i < of->instances->count; ++i)
        for (int place = first; place < end; ++place)
          if (double*& pointer = of->instances->pointers[i][place])
            pointer = as<double*(double*)>(moved)(pointer);
    }
  }
}

/// Which words of what has them all are lists of what plays and records in steps.
constexpr int of_plays = 1, of_records = 2;

/// What of NEURON's plays or records, of one of these lists.
std::vector<void*> players_of_session(int place) {
  static void* const all = of_neuron("net_cvode_instance");
  void* const list = all ? static_cast<void***>(*static_cast<void**>(all))[place] : nullptr;
  if (!list) return {};
  if (is_9()) return *static_cast<const std::vector<void*>*>(list);
  const struct List {
    void** items;
    long size, count, gap;
  }& of = *static_cast<const List*>(list);
  std::vector<void*> players;
  for (long i = 0; i < of.count; ++i)
    players.push_back(of.items[i < of.gap ? i : i + of.size - of.count]);
  return players;
}

/// By which events come into NEURON's queue, in the table of an event's class.
void* function_that_sends() {
  return of_neuron("_ZN13DiscreteEvent4sendEdP8NetCvodeP9NrnThread");
}

/// Where a distribution's number is asked for that stands for all of a session's.
std::jmp_buf asked;

}  // namespace

/// Whether some Random of hoc's is played into a number at each step (Random.play): NEURON is asked
/// to, and stopped before it draws.
HILLOCK_SHOWN int hillock_plays_randoms(const Object* const* randoms, std::size_t count) {
  void* const play = of_neuron("nrn_random_play");
  if (!play || count == 0) return 0;
  constexpr std::size_t distribution_at = 1, functions = 8;  // words of a Random
  std::array<void (*)(), functions> table{};
  table.fill([] { std::longjmp(asked, 1); });
  void* stand_in[] = {table.data(), nullptr};
  std::vector<void*> known(count);
  const auto distribution = [&](std::size_t i) -> void*& {
    return static_cast<void**>(randoms[i]->what)[distribution_at];
  };
  for (std::size_t i = 0; i < count; ++i) known[i] = std::exchange(distribution(i), stand_in);
  const int plays = setjmp(asked);
  if (plays == 0) as<void()>(play)();
  for (std::size_t i = 0; i < count; ++i) distribution(i) = known[i];
  return plays;
}

/// NEURON's own list of what Randoms set in each step, which its library names to no other.
HILLOCK_SHOWN void hillock_know_random_plays(void* list) {
  random_plays = static_cast<const std::vector<RandomPlay*>* const*>(list);
}

/// Of each, in NEURON's order: the number of the Random, and the type and index of what it sets
/// among the first thread's numbers, -1000 of other numbers; to be freed. Returns how many there
/// are, -1 where NEURON has them in another way than is known.
HILLOCK_SHOWN int hillock_random_plays(const Object* const* randoms, std::size_t count,
                                       int** found) {
  void* const find = find_number();
  void* const table = of_neuron("_ZTV10RandomPlay");
  if (!random_plays || !*random_plays || !find || !table) return -1;
  std::vector<int> rows;
  for (RandomPlay* const play : **random_plays) {
    if (!is_of_class(play, table)) return -1;
    const auto* const random = std::find_if(
        randoms, randoms + count, [&](const Object* one) { return one->what == play->random; });
    if (random == randoms + count) return -1;
    constexpr int unknown = -1000;
    int type = unknown, index = 0;
    void* const at = is_9() ? static_cast<void*>(&play->number) : play->number;
    if (as<int(void*, void*, int&, int&)>(find)(at, address_of_thread(0), type, index) != 0)
      type = unknown;
    rows.insert(rows.end(), {static_cast<int>(random - randoms), type, index});
  }
  *found = copied(rows);
  return static_cast<int>(rows.size() / 3);
}

/// NEURON plays its Randoms so many steps. rows: null, or [step] what they set.
HILLOCK_SHOWN void hillock_play_randoms(std::size_t steps, double* rows) {
  void* const play_all = of_neuron("nrn_random_play");
  for (std::size_t step = 0; step < steps; ++step) {
    as<void()>(play_all)();
    if (!rows) continue;
    for (const RandomPlay* const play : **random_plays) *rows++ = *number_of(&play->number);
  }
}

/// From now on NEURON 8.2 keeps POINTERs to mechanisms' numbers, and those of channels to ions',
/// where it lays these out side by side. ask: has hillock_know_channel() called for all channels.
/// Returns 0 where this NEURON cannot be told.
HILLOCK_SHOWN int hillock_keep_pointers(void (*ask)()) {
  static const bool keeps = [] {
    void* const call_then = of_neuron("nrn_register_recalc_ptr_callback");
    if (is_9() || !call_then || !of_neuron("nrn_recalc_ptr") || !of_neuron("nrn_nthread") ||
        !address_of_thread(0) || !of_neuron("nrn_dparam_ptr_start_") || !numbers_by_type() ||
        !of_neuron("nrn_get_mechtype"))
      return false;
    as<void(void (*)())>(call_then)(move_pointers);
    return true;
  }();
  ask_for_channels = ask;
  return keeps ? 1 : 0;
}

/// A channel's instances have so many numbers, and pointers to ions' where it is said.
HILLOCK_SHOWN void hillock_know_channel(const char* name, int numbers, int first, int end) {
  const int type = as<int(const char*)>(of_neuron("nrn_get_mechtype"))(name);
  if (type < 0) return;
  numbers_by_type()[type] = numbers;
  channels()[type] = {first, end};
}

/// Whether that was called for it since NEURON laid its instances out.
HILLOCK_SHOWN int hillock_knows_channel(const char* name) {
  const int type = as<int(const char*)>(of_neuron("nrn_get_mechtype"))(name);
  return channels().count(type) > 0 ? 1 : 0;
}

/// Where the first of a mechanism's POINTERs and BBCOREPOINTERs lies among an instance's pointers.
HILLOCK_SHOWN int hillock_place_of_pointers(int type) {
  return places_of_pointers(type)[0];
}

/// What the noise of an artificial cell comes from, in NEURON 8.2, by its BBCOREPOINTER: 0 NEURON's
/// one stream, 1 a stream of Random123, of which `words` has three numbers that it is known by, how
/// far it is and which of four words comes next, 2 another Random, whose number is the first of
/// `words`. takes: the stream gets the last two of `words`. Returns -1 where NEURON is built in
/// another way than is known.
HILLOCK_SHOWN int hillock_noise_of(const Object* cell, int type, const Object* const* randoms,
                                   std::size_t count, int takes, std::uint32_t* words) {
  struct Property {
    void* next;
    short type;
    double* numbers;
    void** pointers;
  };
  struct Point {
    void *section, *node;
    const Property* property;
  };
  const auto* const point = static_cast<const Point*>(cell->what);
  const int place = places_of_pointers(type)[0];
  if (is_9() || !point || !point->property || point->property->type != type ||
      !point->property->pointers || point->property->pointers[1] != point || place < 2)
    return -1;
  void* const kept = point->property->pointers[place];
  if (!kept) return 0;
  const Object* const* const random =
      std::find_if(randoms, randoms + count, [&](const Object* one) { return one->what == kept; });
  const bool is_of_hoc = random != randoms + count;
  void* const ids = of_neuron(is_of_hoc ? "nrn_random_isran123" : "nrnran123_getids3");
  void* const get = of_neuron(is_of_hoc ? "nrn_random123_getseq" : "nrnran123_getseq");
  void* const put = of_neuron(is_of_hoc ? "nrn_random123_setseq" : "nrnran123_setseq");
  if (!ids || !get || !put) return -1;
  using Ids = int(void*, std::uint32_t*, std::uint32_t*, std::uint32_t*);
  if (is_of_hoc && as<Ids>(ids)(kept, words, words + 1, words + 2) == 0) {
    words[0] = static_cast<std::uint32_t>(random - randoms);
    return 2;
  }
  if (takes) {
    as<int(void*, std::uint32_t, char)>(put)(kept, words[3], static_cast<char>(words[4]));
    return 1;
  }
  char which = 0;
  if (!is_of_hoc) as<Ids>(ids)(kept, words, words + 1, words + 2);
  as<int(void*, std::uint32_t*, char*)>(get)(kept, words + 3, &which);
  words[4] = static_cast<std::uint32_t>(which);
  return 1;
}

/// NEURON draws from its one stream, step after step: in each up to `count` numbers, uniform ones
/// or normal ones of mean 0 and deviation 1. masks: [number] null, or [step] whether it is drawn.
/// Each goes behind what was drawn for its instance, [number]; places: [instance] where the next
/// one is. Returns 0 where NEURON is built in another way than is known.
HILLOCK_SHOWN int hillock_draw(std::size_t steps, std::size_t count, const int* are_normal,
                               const char* const* masks, const int* instances, std::size_t* places,
                               double* numbers) {
  void* const uniform = of_neuron(is_9() ? "_Z11scop_randomv" : "scop_random");
  void* const normal = of_neuron(is_9() ? "_Z8normranddd" : "normrand");
  if (!uniform || !normal) return 0;
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t k = 0; k < count; ++k) {
      if (masks[k] && !masks[k][step]) continue;
      numbers[places[instances[k]]++] =
          are_normal[k] != 0 ? as<double(double, double)>(normal)(0, 1) : as<double()>(uniform)();
    }
  return 1;
}

/// Whether NEURON is to lay its nodes out anew before the next step; null where it has no such.
HILLOCK_SHOWN int* hillock_structure_change() {
  return static_cast<int*>(of_neuron("v_structure_change"));
}

/// NEURON lays its nodes out, if it is to do so before the next step.
HILLOCK_SHOWN void hillock_lay_out() {
  if (void* const lay_out = of_neuron("_Z16verify_structurev")) as<void()>(lay_out)();
}

HILLOCK_SHOWN int hillock_is_out_of_date() {
  for (const char* name : {"v_structure_change", "tree_changed", "diam_changed"})
    if (const void* flag = of_neuron(name); flag && *static_cast<const int*>(flag) != 0) return 1;
  return 0;
}

/// NEURON is to go on without laying its nodes out anew, as psolve does behind an event that asked
/// for that, or gets to know of what it asked for; flags: of nodes and of sections. A change of
/// sizes is seen by the next step, which lays out all then. takes: they are put into `flags`, or
/// else taken from there.
HILLOCK_SHOWN void hillock_hide_changes(int takes, int* flags) {
  static int* const of_sizes = static_cast<int*>(of_neuron("diam_changed"));
  static int* const all[] = {static_cast<int*>(of_neuron("v_structure_change")),
                             static_cast<int*>(of_neuron("tree_changed"))};
  for (int* const flag : all) {
    int& known = *flags++;
    if (takes == 0 && flag) *flag |= known;
    if (takes != 0) known = flag && of_sizes && *of_sizes == 0 ? std::exchange(*flag, 0) : 0;
  }
}

/// Whether NEURON takes each step by itself, as numbers are transferred (gap junctions): else
/// psolve takes four and more together, which hear of no dt that is set meanwhile.
HILLOCK_SHOWN int hillock_steps_are_single() {
  const void* const transfers = of_neuron("nrnthread_v_transfer_");
  return transfers && *static_cast<void* const*>(transfers) ? 1 : 0;
}

/// After NEURON 8.2 has laid its nodes out anew: only a transfer of its own finds where
/// target_var's numbers lie then, and only then hands them over rightly.
HILLOCK_SHOWN void hillock_find_targets() {
  void* const together = of_neuron("nrnmpi_v_transfer_");
  void* const threads = of_neuron("nrn_threads");
  void* const of_thread = of_neuron("nrnthread_v_transfer_");
  if (is_9() || !threads) return;
  if (together && *static_cast<void**>(together)) as<void()> (*static_cast<void**>(together))();
  if (of_thread && *static_cast<void**>(of_thread))
    as<void(void*)> (*static_cast<void**>(of_thread))(*static_cast<void**>(threads));
}

/// Whether NEURON draws on a screen.
HILLOCK_SHOWN int hillock_has_screen() {
  const void* const draws = of_neuron("hoc_usegui");
  return draws && *static_cast<const int*>(draws) != 0 ? 1 : 0;
}

/// Whether there are any, in NEURON 8.2.
HILLOCK_SHOWN int hillock_has_targets() {
  void* const of_thread = of_neuron("nrnthread_v_transfer_");
  return !is_9() && of_thread && *static_cast<void**>(of_thread) ? 1 : 0;
}

/// How often NEURON has laid out its nodes and computed their sizes. Returns 0 where it does not
/// say so.
HILLOCK_SHOWN int hillock_changes(int* counts) {
  static void* const structure = of_neuron("structure_change_cnt");
  static void* const sizes = of_neuron("diam_change_cnt");
  if (!structure || !sizes) return 0;
  counts[0] = *static_cast<int*>(structure);
  counts[1] = *static_cast<int*>(sizes);
  return 1;
}

/// How many references hoc has to each of some objects.
HILLOCK_SHOWN void hillock_references(const Object* const* objects, std::size_t count,
                                      int* references) {
  for (std::size_t i = 0; i < count; ++i) references[i] = objects[i]->references;
}

/// The numbers of a Vector, which stay NEURON's. vector: what C code of mechanisms has of it; null
/// has none. Returns how many there are, -1 where NEURON is built in another way than is known.
HILLOCK_SHOWN int hillock_vector(void* vector, double** numbers) {
  static void* const size = of_neuron(is_9() ? "_Z15vector_capacityPv" : "vector_capacity");
  static void* const begin = of_neuron(is_9() ? "_Z10vector_vecPv" : "vector_vec");
  if (!size || !begin) return -1;
  if (!vector) return 0;
  *numbers = as<double*(void*)>(begin)(vector);
  return as<int(void*)>(size)(vector);
}

/// How a Vector is played: 0 not at all, 1 linear between times, 2 in steps; 3 it is recorded in
/// every step. vector: what hoc has of the object; player: NEURON's that does it. Returns -1 where
/// NEURON is built in another way than is known.
HILLOCK_SHOWN int hillock_is_played(const void* vector, void** player) {
  static void* const uses = of_neuron("_ZN8NetCvode12playrec_usesEPv");
  static void* const all = of_neuron("net_cvode_instance");
  static void* const linear = of_neuron("_ZTV17VecPlayContinuous");
  static void* const in_steps = of_neuron("_ZTV11VecPlayStep");
  static void* const recorded[] = {of_neuron("_ZTV10TvecRecord"), of_neuron("_ZTV10YvecRecord")};
  if (!uses || !all || !linear || !in_steps || !recorded[0] || !recorded[1]) return -1;
  void* const record = as<void*(void*, void*)>(uses)(*static_cast<void**>(all),
                                                     static_cast<const Object*>(vector)->what);
  *player = record;
  if (is_of_class(record, recorded[0]) || is_of_class(record, recorded[1])) return 3;
  return is_of_class(record, linear) ? 1 : is_of_class(record, in_steps) ? 2 : 0;
}

/// As far as known of what plays a Vector, linear between times: its words behind what it plays
/// into.
struct LinearPlay {
  void *values, *times, *jumps;
  int last, jump, bound;
};
LinearPlay* linear_play(void* player) {
  return reinterpret_cast<LinearPlay*>(static_cast<void**>(player) + (is_9() ? 8 : 5));
}

/// The times at which a Vector is played, linear between them. player: NEURON's that does it.
/// Returns how many, none where `vector` has the times or rows itself, -1 where the player has them
/// elsewhere; null asks for them as well.
HILLOCK_SHOWN int hillock_times_of_play(void* player, const void* vector, double** times) {
  const LinearPlay* const of = linear_play(player);
  void* const what = vector ? static_cast<const Object*>(vector)->what : of->values;
  if (what == of->times || what == of->jumps) return 0;
  return what == of->values ? hillock_vector(of->times, times) : -1;
}

std::vector<void*> of_hillock::plays_of_session() {
  return players_of_session(of_plays);
}

int of_hillock::count_of_times(const std::vector<void*>& plays, int play) {
  double* times = nullptr;
  return static_cast<std::size_t>(play) < plays.size()
             ? hillock_vector(linear_play(plays[static_cast<std::size_t>(play)])->times, &times)
             : -1;
}

/// A Vector that is played, linear between times, and has in `vector` the rows at which it jumps,
/// plays without, as NEURON hands no other over; player: NEURON's that does it. Returns 0 where
/// there is none any more, -1 where NEURON is built in another way than is known.
HILLOCK_SHOWN int hillock_take_jumps(const void* vector, void** player) {
  static void* const uses = of_neuron("_ZN8NetCvode12playrec_usesEPv");
  static void* const all = of_neuron("net_cvode_instance");
  static void* const linear = of_neuron("_ZTV17VecPlayContinuous");
  void* const rows = static_cast<const Object*>(vector)->what;
  *player = as<void*(void*, void*)>(uses)(*static_cast<void**>(all), rows);
  if (!is_of_class(*player, linear)) return 0;
  LinearPlay* const of = linear_play(*player);
  if (of->values != rows && of->times != rows && of->jumps != rows) return -1;
  if (of->jumps != rows) return 0;
  of->jumps = nullptr;
  return 1;
}

/// It plays with them again.
HILLOCK_SHOWN void hillock_put_jumps(void* player, const void* vector) {
  linear_play(player)->jumps = static_cast<const Object*>(vector)->what;
}

/// It goes on: to the row `bound`, behind which the next jump is that of such a number.
HILLOCK_SHOWN void hillock_go_on_to_jump(void* player, int jump, int bound) {
  LinearPlay* const of = linear_play(player);
  of->last = of->bound = bound;
  of->jump = jump;
}

/// The times at which a Vector is recorded, `recorded` of which have been. player: NEURON's that
/// does it, which has the event behind both Vectors. Returns how many, -1 where it has them
/// elsewhere.
HILLOCK_SHOWN int hillock_times_of_record(void* player, const void* event, double** times,
                                          int* recorded) {
  constexpr int most_words = 16;
  void** const words = static_cast<void**>(player);
  double* numbers = nullptr;
  for (int word = 3; word < most_words; ++word)
    if (words[word] == event) {
      *recorded = hillock_vector(words[word - 2], &numbers);
      return hillock_vector(words[word - 1], times);
    }
  return -1;
}

/// What a Vector records or plays: a thread, type and index as POINTERs have them, type 0 of the
/// time. Returns 0 where it is something else.
HILLOCK_SHOWN int hillock_recorded(void* event, void* player, int threads, int* thread, int* type,
                                   int* index) {
  static void* const thread_of = of_neuron("_ZN15PlayRecordEvent6threadEv");
  static void* const find = find_number();
  static void* const time = of_neuron("t");
  if (!thread_of || !find) return 0;
  void* const its_thread = as<void*(void*)>(thread_of)(event);
  for (*thread = 0; *thread < threads && address_of_thread(*thread) != its_thread;) ++*thread;
  if (*thread == threads) return 0;
  void** const variable = static_cast<void**>(player) + 1;  // behind its class's functions
  // 9.0 keeps a handle there, which is passed by its address.
  const int failed =
      is_9() ? as<int(void*, void*, int&, int&)>(find)(variable, its_thread, *type, *index)
             : as<int(void*, void*, int&, int&)>(find)(*variable, its_thread, *type, *index);
  if (failed == 0) return 1;
  constexpr int words_of_handle = 3;
  return std::any_of(variable, variable + (is_9() ? words_of_handle : 1), [&](void* word) {
    return word && (word == time || word == address_of_thread(0));
  });
}

/// Where the number is that a Vector records; null of one that NEURON 9.0 finds by its own numbers.
/// player: NEURON's that does it.
HILLOCK_SHOWN double* hillock_recorded_at(const void* player) {
  double* const* const variable = static_cast<double* const*>(player) + 1;
  if (!is_9()) return *variable;
  return variable[0] ? nullptr
                     : variable[2];  // behind two of a shared pointer, which is empty then
}

/// Which of so many threads, from 1 on, has a voltage's or a mechanism's number; 0 of any other
/// number. at: its address, of 9.0 that of NEURON's handle.
HILLOCK_SHOWN int hillock_thread_of_number(void* at, int threads) {
  static void* const find = find_number();
  int type = 0, index = 0;
  for (int thread = 0; find && thread < threads; ++thread)
    if (as<int(void*, void*, int&, int&)>(find)(at, address_of_thread(thread), type, index) == 0)
      return thread + 1;
  return 0;
}

/// What a NetCon's record() asked to be called at spikes of its source: 0 nothing, 1 a statement of
/// hoc's, 2 one that an object of hoc's has, 3 something of Python's. text: the statement; object:
/// Python's.
HILLOCK_SHOWN int hillock_calls_at_spikes(const void* netcon, const char** text, void** object) {
  static void* const table = of_neuron("_ZTV10HocCommand");
  static void* const name = of_neuron("_ZN10HocCommand4nameEv");
  constexpr std::size_t words_before_in_8 = 16, words_before_in_9 = 19;  // in a PreSyn
  constexpr std::size_t its_object = 1, of_python = 3;                   // words of a HocCommand
  const std::size_t behind_type = is_9() ? 1 : 2;  // a word of what hoc has of Python's objects
  const auto* found = static_cast<const NetCon*>(static_cast<const Object*>(netcon)->what);
  if (!table || !name || !found || !found->source) return 0;
  void* const called =
      static_cast<void**>(found->source)[is_9() ? words_before_in_9 : words_before_in_8];
  if (!is_of_class(called, table)) return 0;
  void* const* const words = static_cast<void**>(called);
  if (words[of_python]) {
    *object = static_cast<void**>(static_cast<const Object*>(words[of_python])->what)[behind_type];
    return 3;
  }
  *text = as<const char*(void*)>(name)(called);
  return words[its_object] ? 2 : 1;
}

/// Ranks exchange spikes from now on, and one of their events waits. 0 where this NEURON cannot be
/// told.
HILLOCK_SHOWN int hillock_begin_exchange() {
  static void* const begin = of_neuron("_Z23nrn_spike_exchange_initv");
  if (begin) as<void()>(begin)();
  return begin ? 1 : 0;
}

/// What waits in NEURON's queue and is no event of the model's. kind: 0 of hoc's, 1 of a Vector
/// that is recorded every so often, 2 of one that is recorded at given times, 3 of one that is
/// played in steps. player: what records or plays.
struct HillockOther {
  void* event;
  void* player;
  double time;
  int kind;
};

/// All of a thread's, to be freed; `takes`: they wait no longer. Returns -1 where NEURON is built
/// in another way than is known.
HILLOCK_SHOWN int hillock_others(int thread, int takes, HillockOther** found) {
  static void* const queue_of = of_neuron("_Z30net_cvode_instance_event_queueP9NrnThread");
  static void* const for_all = of_neuron("_ZN6TQueue15forall_callbackEPFvPK6TQItemiE");
  static void* const remove = of_neuron("_ZN6TQueue6removeEP6TQItem");
  static void* const play_event = of_neuron("_ZTV15PlayRecordEvent");
  static void* const tables[] = {of_neuron("_ZTV8HocEvent"), of_neuron("_ZTV11VecRecordDt"),
                                 of_neuron("_ZTV17VecRecordDiscrete"),
                                 of_neuron("_ZTV11VecPlayStep"), of_neuron("_ZTV11NetParEvent")};
  void* const its_thread = address_of_thread(thread);
  if (!queue_of || !for_all || !remove || !play_event || !its_thread || !function_that_sends() ||
      std::count(std::begin(tables), std::end(tables), nullptr) > 0)
    return -1;
  void* const queue = as<void*(void*)>(queue_of)(its_thread);
  std::vector<HillockOther> others;
  for (const QueueItem& item : items_of(queue)) {
    HillockOther other{item.event, nullptr, item.time, 0};
    const bool is_played = is_of_class(other.event, play_event);
    if (is_played) other.player = static_cast<void**>(other.event)[1];
    const auto* const its = std::find_if(std::begin(tables), std::end(tables), [&](void* table) {
      return is_of_class(is_played ? other.player : other.event, table);
    });
    if (its == std::end(tables)) continue;
    other.kind = static_cast<int>(its - std::begin(tables));
    others.push_back(other);
    if (takes) as<void(void*, void*)>(remove)(queue, item.item);
  }
  *found = copied(others);
  return static_cast<int>(others.size());
}

/// Events of what is freed, as of Vectors that are played no longer, do not wait any more: NEURON
/// leaves them in its queue. players: of the Vectors that are played, the first of each.
HILLOCK_SHOWN void hillock_drop_freed(int thread, const void* const* players, std::size_t count) {
  static void* const queue_of = of_neuron("_Z30net_cvode_instance_event_queueP9NrnThread");
  static void* const remove = of_neuron("_ZN6TQueue6removeEP6TQItem");
  static void* const play_event = of_neuron("_ZTV15PlayRecordEvent");
  static void* const is_played = of_neuron("_ZTV17VecPlayContinuous");
  static void* const of_event = of_neuron("_ZTI13DiscreteEvent");
  static void* const of_player = of_neuron("_ZTI10PlayRecord");
  void* const its_thread = address_of_thread(thread);
  if (!queue_of || !remove || !play_event || !is_played || !of_event || !of_player || !its_thread)
    return;
  std::vector<const void*> all(players, players + count);
  for (const void* const player : players_of_session(of_plays)) all.push_back(player);
  void* const queue = as<void*(void*)>(queue_of)(its_thread);
  for (const QueueItem& item : items_of(queue)) {
    bool is_gone = !is_a(item.event, of_event);
    if (!is_gone && is_of_class(item.event, play_event)) {
      void* const player = static_cast<void**>(item.event)[1];
      is_gone =
          !is_a(player, of_player) || (is_of_class(player, is_played) &&
                                       std::find(all.begin(), all.end(), player) == all.end());
    }
    if (is_gone) as<void(void*, void*)>(remove)(queue, item.item);
  }
}

namespace {

/// As far as known of what a thread of NEURON's begins with.
struct Thread {
  double t, dt, steps_per_ms;
};

Thread* thread_of(int number) {
  return static_cast<Thread*>(address_of_thread(number));
}

}  // namespace

/// NEURON's next step solves with this many steps, 1 or 2; 0 where it has yet to settle that, as of
/// a dt that is another than the last step's.
HILLOCK_SHOWN int hillock_solves_with(double dt) {
  const Thread* const first = thread_of(0);
  return first && first->dt == dt ? static_cast<int>(first->steps_per_ms * dt + 0.5) : 0;
}

/// When NEURON's next step of a psolve begins, ms: it does not ask for hoc's t where dt is the last
/// step's.
HILLOCK_SHOWN double hillock_step_begins(double t, double dt) {
  const Thread* const first = thread_of(0);
  return first && first->dt == dt ? first->t : t;
}

/// NEURON goes on from hoc's t where that was set, as its fadvance() does.
HILLOCK_SHOWN void hillock_take_time(int threads, double t, double dt, int steps_to_solve) {
  if (const Thread* const first = thread_of(0); !first || first->t == t) return;
  for (int number = 0; number < threads; ++number)
    if (Thread* const thread = thread_of(number)) *thread = {t, dt, steps_to_solve / dt};
}

/// Whether cells are split among threads or ranks (ParallelContext.multisplit).
HILLOCK_SHOWN int hillock_is_split() {
  static void* const setup = of_neuron("nrn_multisplit_setup_");
  return setup && *static_cast<void**>(setup);
}

/// What of NEURON's has Vectors and graphs recorded in every step since its last finitialize(),
/// which alone looks for what is to record. Returns how many.
HILLOCK_SHOWN int hillock_recorders(void*** found) {
  const std::vector<void*> recorders = players_of_session(of_records);
  *found = copied(recorders);
  return static_cast<int>(recorders.size());
}

/// Whether a PtrVector has something called where numbers come to lie elsewhere. vector: what hoc
/// has of the object.
HILLOCK_SHOWN int hillock_follows(const void* vector) {
  constexpr int call = 3;
  return static_cast<void**>(static_cast<const Object*>(vector)->what)[call] != nullptr;
}

/// What has its time by now is delivered, as at the end of a step of NEURON's: before the next one
/// looks for spikes and WATCHes.
HILLOCK_SHOWN void hillock_deliver_events(int threads) {
  static void* const deliver = of_neuron("_Z18nrn_deliver_eventsP9NrnThread");
  for (int thread = 0; deliver && thread < threads; ++thread)
    as<void(void*)>(deliver)(address_of_thread(thread));
}

/// An event of others waits again.
HILLOCK_SHOWN void hillock_put_other(int thread, void* event, double time) {
  static void* const put = of_neuron("_ZN8NetCvode5eventEdP13DiscreteEventP9NrnThread");
  static void* const all = of_neuron("net_cvode_instance");
  as<void(void*, double, void*, void*)>(put)(*static_cast<void**>(all), time, event,
                                             address_of_thread(thread));
}

/// NEURON does what the event is for. Returns the time of the next one of its kind, which it sends
/// here instead of into its queue, or infinity where there is none.
HILLOCK_SHOWN double hillock_deliver_other(int thread, void* event, double time) {
  static void* const deliver = of_neuron("_ZN15PlayRecordEvent7deliverEdP8NetCvodeP9NrnThread");
  static void* const all = of_neuron("net_cvode_instance");
  static void* const send = function_that_sends();
  static double sent;
  constexpr int functions = 8;  // of the event's class, that which sends among them
  void**& table = *static_cast<void***>(event);
  std::array<void*, functions> stand_in{};
  std::copy(table, table + functions, stand_in.begin());
  const auto takes = [](void*, double when, void*, void*) { sent = when; };
  std::replace(stand_in.begin(), stand_in.end(), send, reinterpret_cast<void*>(+takes));
  sent = std::numeric_limits<double>::infinity();
  void** const known = std::exchange(table, stand_in.data());
  as<void(void*, double, void*, void*)>(deliver)(event, time, *static_cast<void**>(all),
                                                 address_of_thread(thread));
  table = known;
  return sent;
}

/// The same as long as there is one before the last of the times `due`, and its time is a number;
/// behind each of these, `number` is what `column` has of it, if it is not null.
HILLOCK_SHOWN double hillock_deliver_others(int thread, void* event, double time, double* number,
                                            const double* column, const double* due,
                                            std::size_t steps) {
  for (std::size_t step = 0;;) {
    while (step < steps && !(due[step] >= time)) ++step;
    if (step == steps) return time;
    if (number && step > 0) *number = column[step - 1];
    time = hillock_deliver_other(thread, event, time);
  }
}

/// The same of a Vector that is played into `number`. found: of each in turn the place among `due`
/// and the number then, to be freed. Returns how many there are.
HILLOCK_SHOWN std::size_t hillock_play_other(int thread, void* event, double* time,
                                             const double* number, const double* due,
                                             std::size_t steps, double** found) {
  std::vector<double> played;
  for (std::size_t step = 0;;) {
    while (step < steps && !(due[step] >= *time)) ++step;
    if (step == steps) break;
    *time = hillock_deliver_other(thread, event, *time);
    played.insert(played.end(), {static_cast<double>(step), *number});
  }
  *found = copied(played);
  return played.size() / 2;
}

/// Events that artificial cells sent themselves in answer to NetCons, which wait without these, get
/// to know them: of one with that time and flag. Returns how many.
HILLOCK_SHOWN std::size_t hillock_put_answers(int thread, std::size_t count,
                                              const void* const* netcons, const double* times,
                                              const double* flags) {
  static void* const queue_of = of_neuron("_Z30net_cvode_instance_event_queueP9NrnThread");
  static void* const table = of_neuron("_ZTV9SelfEvent");
  std::size_t found = 0;
  if (!queue_of || !table) return found;
  std::multimap<std::tuple<void*, double, double>, double*> waiting;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* netcon = static_cast<const NetCon*>(static_cast<const Object*>(netcons[i])->what);
    waiting.emplace(std::tuple(netcon->target, times[i], flags[i]), netcon->weight);
  }
  for (const QueueItem& item : items_of(as<void*(void*)>(queue_of)(address_of_thread(thread)))) {
    if (!is_of_class(item.event, table)) continue;
    auto* const event = static_cast<SelfEvent*>(item.event);
    const auto answer = waiting.find({event->target, item.time, event->flag});
    if (event->weight || answer == waiting.end()) continue;
    event->weight = answer->second;
    waiting.erase(answer);
    ++found;
  }
  return found;
}
