// Loops of hoc over fadvance(): their conditions, or of those that count where their body begins,
// and fadvance itself come here. Before each turn Python may have the steps that are left run by
// psolve (hillock/_neuron_loops.py); the loop then goes its way over the numbers that were
// recorded. Code of hoc's is an array of words, each the address of a function or what belongs to
// it: src/oc/hocdec.h and code.cpp of NEURON 8.2 and 9.0.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "neuron.hpp"

using namespace of_hillock;

namespace {

using Word = void*;
using Operation = void();

/// What Python is called with: before a turn of a loop, whose last turn took so many steps. It
/// returns how many turns are NEURON's before it is to be called again, where the next did not run
/// here, 0 where all are, or -1 with text in `problem`; where they did run, whether it awaits to be
/// called behind them.
using Ahead = int(const void* place, int steps, char* problem, std::size_t size);
/// And before steps of a script that are in no loop whose condition leads here: the second, 32nd,
/// 512th and so on since t was last set back; this one and others may be there to be shown then.
using Stepped = void(unsigned long count);
Ahead* ahead = nullptr;
Stepped* stepped = nullptr;

/// Functions of hoc's, which 8.2 names as C does, and where it stands in its code.
struct Hoc {
  Word** place = static_cast<Word**>(of_neuron("hoc_pc"));
  void* execute = of_neuron("_Z11hoc_executeP4Inst");
  void* pop = of_neuron(is_9() ? "_Z8hoc_xpopv" : "hoc_xpop");
  void* push = of_neuron(is_9() ? "_Z9hoc_pushxd" : "hoc_pushx");
  void* give_back = of_neuron(is_9() ? "_Z12hoc_retpushxd" : "hoc_retpushx");
  void* advance = of_neuron("_Z8fadvancev");

  [[nodiscard]] bool is_known() const {
    return place && execute && pop && push && give_back && advance;
  }
};

const Hoc& hoc() {
  static const Hoc known;
  return known;
}

/// A loop, by the word that leads here, which was `first`: its condition's, or the first of its
/// body where it counts by itself. code: of the condition; is_under_way: the loop's turn began
/// after so many steps, at a time; left: turns that are NEURON's; is_divided: Python awaits
/// the next part.
struct Loop {
  static constexpr long all = -1;

  /// Conditions, and whether each is to hold, of a branch that only NEURON may go into.
  struct Guard {
    std::vector<std::vector<Word>> codes;
    std::vector<bool> holds;
  };

  Word first;
  std::vector<Word> code;
  std::vector<Guard> guards{};
  std::vector<Word> read{}, write{};  // of what it counts with, empty of others
  double more = 0;                    // of that by each turn
  bool is_under_way = false;
  bool is_divided = false;
  long left = 0;
  long steps = 0;
  double t = 0;
  double count = 0;
};
std::map<const void*, Loop> loops;
constexpr long fewest_steps = 10;  // that run here
long steps_taken = 0;
bool is_ours = false;  // steps that are no script's
unsigned long untaken = 0, untaken_to_tell = 0;
double last_t = 0;

/// hoc's entry of a name, with a function's code, where a number is, or a class.
struct Symbol {
  struct Procedure {
    void* code;
    unsigned long size;
  };
  struct Class {
    Symbol* symbol;
    Symbol** members;
    int sizes[2];
    Symbol* of_objects[2];
    int counts[2];
  };
  const char* name;
  short type;
  short of[3];
  union {
    Procedure* procedure;
    double* number;
    Class* its_class;
  };
  unsigned varies[2];
  void* arrays;
  void* extra;
  Symbol* next;
};

/// What differs where words do.
std::uint64_t mixed(std::uint64_t known, const void* word) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  return (known ^ reinterpret_cast<std::uint64_t>(word)) * factor + (known >> 29);
}

/// What was in the place of a word that leads here.
Word original(const Word* place);

std::uint64_t mixed(std::uint64_t known, const Word* begin, const Word* end) {
  for (const Word* word = begin; word < end; ++word) known = mixed(known, original(word));
  return known;
}

/// Of a procedure: whose it is, and what it does.
std::uint64_t mixed_routine(std::uint64_t known, const Symbol* symbol) {
  const auto* const code = static_cast<const Word*>(symbol->procedure->code);
  for (const char* letter = symbol->name; letter && *letter; ++letter)
    known = mixed(known, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(*letter)));
  known = mixed(mixed(known, static_cast<const void*>(symbol)), code);
  return code ? mixed(known, code, code + symbol->procedure->size) : known;
}

/// Calls of_routine(symbol, whether of a class) for each procedure and function of hoc's and of
/// classes that have objects. Of types of symbols: those of procedures and functions, and of
/// classes.
template <class OfRoutine>
void for_each_routine(std::span<const short> routines, short classes, const OfRoutine& of_routine) {
  const auto visit = [&](const Symbol* first, bool is_of_class, const auto& of_class) {
    for (const Symbol* one = first; one; one = one->next) {
      if (std::ranges::find(routines, one->type) != routines.end() && one->procedure)
        of_routine(one, is_of_class);
      else if (one->type == classes && one->its_class && one->its_class->counts[1] > 0 &&
               one->its_class->members)
        of_class(*one->its_class->members);
    }
  };
  const auto nothing = [](const Symbol*) {};
  const auto visit_class = [&](const Symbol* members) { visit(members, true, nothing); };
  for (const char* list : {"hoc_built_in_symlist", "hoc_top_level_symlist"})
    if (auto* const* const found = static_cast<Symbol***>(of_neuron(list)); found && *found)
      visit(**found, false, visit_class);
}

/// What a procedure names behind one of two operations: what is called, and of what object.
template <class OfName>
void for_each_called(const Symbol* symbol, const Word calls[2], const OfName& of_name) {
  const auto* const begin = static_cast<const Word*>(symbol->procedure->code);
  for (unsigned long i = 0; begin && i + 1 < symbol->procedure->size; ++i)
    if (const Word word = original(begin + i); word && (word == calls[0] || word == calls[1]))
      if (const auto* const called = static_cast<const Symbol*>(begin[i + 1]);
          called && called->name)
        of_name(called->name);
}

const Symbol* named(const char* name) {
  void* const lookup = of_neuron(is_9() ? "_Z10hoc_lookupPKc" : "hoc_lookup");
  return lookup ? as<Symbol*(const char*)>(lookup)(name) : nullptr;
}

/// hoc's own, as each of NEURON's threads has another.
double* t_of_hoc() {
  static const Symbol* const symbol = named("t");
  return symbol->number;
}

/// Steps that were taken: in each, hoc's t and other numbers have values, which a loop reads.
struct Play {
  std::vector<double*> numbers;
  const double* values = nullptr;  // [step][number], Python's
  std::size_t steps = 0, done = 0;
};
Play play;

void show_step() {
  const double* const values = play.values + play.done * play.numbers.size();
  for (std::size_t k = 0; k < play.numbers.size(); ++k) *play.numbers[k] = values[k];
}

/// Whether steps are left to be shown: not where somebody has set another time meanwhile.
bool goes_on() {
  if (play.done >= play.steps) return false;
  if (*play.numbers[0] == play.values[play.done * play.numbers.size()]) return true;
  play.done = play.steps;
  return false;
}

/// What code of hoc's leaves.
double value_of(std::vector<Word>& code) {
  Word* const place = *hoc().place;
  as<void(Word*)>(hoc().execute)(code.data());
  *hoc().place = place;
  return as<double()>(hoc().pop)();
}

/// Whether a condition holds.
bool holds(Loop& loop) {
  return value_of(loop.code) != 0;
}

void set_count(Loop& loop, double value) {
  as<void(double)>(hoc().push)(value);
  value_of(loop.write);
}

double dt() {
  static const auto* const number = static_cast<const double*>(of_neuron("dt"));
  return number ? *number : 0;
}

/// Whether a branch that only NEURON may go into would be taken.
bool is_guarded(Loop& loop) {
  return std::ranges::any_of(loop.guards, [](Loop::Guard& guard) {
    for (std::size_t k = 0; k < guard.codes.size(); ++k)
      if ((value_of(guard.codes[k]) != 0) != guard.holds[k]) return false;
    return true;
  });
}

/// NEURON adds half of dt to t twice a step. before_guards: no turn with such a branch, nor what
/// follows.
std::size_t turns_left(Loop& loop, long steps, std::size_t most, bool before_guards = false) {
  double* const t = t_of_hoc();
  const double now = *t, half = 0.5 * dt();
  const bool counts = !loop.read.empty();
  const double begun = counts ? value_of(loop.read) : 0;
  double reached = begun;
  std::size_t turns = 0;
  bool is_free = true;
  for (; turns < most && holds(loop); ++turns) {
    is_free = !before_guards || !is_guarded(loop);
    for (long i = 0; i < steps && is_free; ++i) {
      *t += half;
      *t += half;
      is_free = !before_guards || !is_guarded(loop);
    }
    if (!is_free) break;
    if (counts) set_count(loop, reached += loop.more);
  }
  *t = now;
  if (counts) set_count(loop, begun);
  return turns;
}

/// Whether a loop's turn has come so many steps far.
bool is_at(const Loop& loop, long steps) {
  return loop.is_under_way &&
         std::abs(*t_of_hoc() - loop.t - static_cast<double>(steps) * dt()) < 1e-3 * dt();
}

/// Whether it comes to its condition after so many steps, and not for the first time.
bool is_turn(const Loop& loop, long steps) {
  return steps > 0 && is_at(loop, steps);
}

/// Before a turn of a loop: runs ahead if it can.
void begin_turn(const void* place, Loop& loop) {
  const long steps = steps_taken - loop.steps;
  if (!is_turn(loop, steps)) {
    loop.left = 0;
    loop.is_divided = false;
  } else if (ahead && !is_ours && !goes_on()) {
    if (loop.left > 0) --loop.left;
    if (loop.left != 0) return;
    if (!loop.is_divided &&
        turns_left(loop, steps, (fewest_steps + steps - 1) / steps) * steps < fewest_steps) {
      loop.left = Loop::all;
      return;
    }
    static char problem[512];
    const int left = ahead(place, static_cast<int>(steps), problem, sizeof problem);
    if (left < 0) {
      loop.is_under_way = false;
      fail(problem);
    }
    loop.is_divided = left > 0;
    loop.left = goes_on() ? 0 : left == 0 ? Loop::all : left;
    untaken = 0;
  }
}

void note_turn(Loop& loop, bool is_under_way) {
  loop.is_under_way = is_under_way;
  loop.steps = steps_taken;
  loop.t = *t_of_hoc();
}

/// In the place of a condition.
void ask() {
  Word* const begin = *hoc().place - 1;
  Loop& loop = loops.at(begin);
  begin_turn(begin, loop);
  note_turn(loop, holds(loop));
  as<void(double)>(hoc().push)(loop.is_under_way ? 1 : 0);
  *hoc().place = begin + loop.code.size() - 1;  // where it ends
}

/// In the place of what a loop's body begins with.
void count() {
  Word* const place = *hoc().place;
  Loop& loop = loops.at(place - 1);
  const double now = value_of(loop.read);
  if (now <= loop.count && loop.left == Loop::all) loop.left = 0;  // another loop
  loop.count = now;
  begin_turn(place - 1, loop);
  note_turn(loop, turns_left(loop, 1, 2) > 1);
  *hoc().place = place;
  as<Operation>(loop.first)();
}

bool is_taken(const Word* place) {
  return *place == reinterpret_cast<void*>(&ask) || *place == reinterpret_cast<void*>(&count);
}

Word original(const Word* place) {
  return is_taken(place) ? loops.at(place).first : *place;
}

/// What fadvance() gives of the next step that is left to be shown.
void show_next() {
  ++play.done;
  show_step();
  as<void(double)>(hoc().give_back)(1);
}

/// In fadvance's place.
void advance() {
  if (is_ours) {
    as<Operation>(hoc().advance)();
    return;
  }
  ++steps_taken;
  if (goes_on()) {
    show_next();
    return;
  }
  constexpr unsigned long first = 2, longer = 16;
  if (untaken == 0 || *t_of_hoc() < last_t) {
    untaken = 0;
    untaken_to_tell = first;
  }
  last_t = *t_of_hoc();
  if (++untaken == untaken_to_tell) {
    untaken_to_tell *= longer;
    stepped(untaken);
    if (goes_on()) {
      untaken = 0;
      show_next();
      return;
    }
  }
  as<Operation>(hoc().advance)();
}

}  // namespace

/// An address of NEURON's, null where its library does not show the name.
HILLOCK_SHOWN void* hillock_of_neuron(const char* name) {
  return of_neuron(name);
}

/// Where steps are left to be shown, the last of them is. Returns whether there were any.
HILLOCK_SHOWN int hillock_end_play() {
  if (!goes_on()) return 0;
  play.done = play.steps;
  show_step();
  return 1;
}

/// A procedure of hoc's: how many words it has and where they are. Returns 0 where there is none.
HILLOCK_SHOWN int hillock_procedure(const char* name, unsigned long* size, const void** code) {
  const Symbol* const found = named(name);
  if (!found || std::strcmp(found->name, name) != 0 || !found->procedure) return 0;
  *size = found->procedure->size;
  *code = found->procedure->code;
  return 1;
}

/// fadvance() and conditions of loops come here from now on, or no longer. Returns 0 where NEURON
/// is built in another way than is known.
HILLOCK_SHOWN int hillock_take_steps(Ahead* before_turns, Stepped* of_places) {
  const Symbol* const symbol = named("fadvance");
  void* const own = reinterpret_cast<void*>(&advance);
  if (!hoc().is_known() || !named("t") || !symbol || !symbol->procedure ||
      (symbol->procedure->code != hoc().advance && symbol->procedure->code != own))
    return 0;
  ahead = before_turns;
  stepped = of_places;
  symbol->procedure->code = ahead ? own : hoc().advance;
  if (!ahead) {
    hillock_end_play();
    play = {};
  }
  untaken = 0;
  return 1;
}

/// A loop leads here from now on, at its condition, or where its body begins. code: of the
/// condition, with the word that ends it; read, write: of what it counts with, which each turn has
/// `more` of, or null.
HILLOCK_SHOWN void hillock_take_loop(Word* place, int is_body, const Word* code, std::size_t words,
                                     const Word* read, std::size_t words_of_read, const Word* write,
                                     std::size_t words_of_write, double more) {
  if (is_taken(place)) return;
  Loop& loop = loops[place] = {*place, std::vector<Word>(code, code + words)};
  if (read) {
    loop.read.assign(read, read + words_of_read);
    loop.write.assign(write, write + words_of_write);
    loop.more = more;
  }
  *place = is_body ? reinterpret_cast<void*>(&count) : reinterpret_cast<void*>(&ask);
}

/// A branch of a loop, or of what it calls, is one that only NEURON may go into; none is, of no
/// conditions. sizes, holds: [condition] how many words it has, with the word that ends it, and
/// whether it is to hold.
HILLOCK_SHOWN void hillock_guard_loop(const void* place, std::size_t conditions,
                                      const std::size_t* sizes, const Word* words,
                                      const int* holds) {
  std::vector<Loop::Guard>& guards = loops.at(place).guards;
  if (conditions == 0) {
    guards.clear();
    return;
  }
  Loop::Guard& guard = guards.emplace_back();
  for (std::size_t k = 0; k < conditions; ++k) {
    guard.codes.emplace_back(words, words + sizes[k]);
    guard.holds.push_back(holds[k] != 0);
    words += sizes[k];
  }
}

/// What is in the place of a condition's first word, or of a body's.
HILLOCK_SHOWN const void* hillock_asks(int of_body) {
  return of_body ? reinterpret_cast<void*>(&count) : reinterpret_cast<void*>(&ask);
}

/// A word of hoc's code as it was before its loop was taken.
HILLOCK_SHOWN const void* hillock_word_at(const Word* place) {
  return original(place);
}

/// The same is hoc's alone again.
HILLOCK_SHOWN void hillock_leave_loop(Word* place) {
  if (is_taken(place)) *place = loops.at(place).first;
}

/// What changes where a procedure does, of hoc's or of a class that has objects, or what hoc is
/// doing.
HILLOCK_SHOWN std::uint64_t hillock_procedures(const short* routines, std::size_t count,
                                               short classes) {
  std::uint64_t known = 0;
  for_each_routine({routines, count}, classes,
                   [&](const Symbol* one, bool) { known = mixed_routine(known, one); });
  const auto* const begin = static_cast<Word**>(of_neuron("hoc_progbase"));
  const auto* const end = static_cast<Word**>(of_neuron("hoc_progp"));
  return begin && end ? mixed(known, *begin, *end) : known;
}

/// Procedures and functions, of each its symbol, what changes where it does, and whether it is of a
/// class (1) and may come to what is called `step` (2). calls: the operations that call something.
/// Returns how many there are; rows: three numbers each, to be freed.
HILLOCK_SHOWN std::size_t hillock_routines(const short* routines, std::size_t count, short classes,
                                           const char* step, const void* const* calls,
                                           std::uint64_t** rows) {
  struct Routine {
    const Symbol* symbol;
    bool is_of_class, may_step;
  };
  std::vector<Routine> found;
  for_each_routine({routines, count}, classes, [&](const Symbol* one, bool is_of_class) {
    found.push_back({one, is_of_class, false});
  });
  const Word operations[] = {const_cast<Word>(calls[0]), const_cast<Word>(calls[1])};
  std::multimap<std::string_view, Routine*> callers;  // by what they call
  for (Routine& one : found)
    for_each_called(one.symbol, operations, [&](const char* name) { callers.emplace(name, &one); });
  std::vector<std::string_view> waiting{step};
  while (!waiting.empty()) {
    const auto [first, last] = callers.equal_range(waiting.back());
    waiting.pop_back();
    for (auto at = first; at != last; ++at)
      if (!std::exchange(at->second->may_step, true))
        waiting.emplace_back(at->second->symbol->name);
  }
  auto* row = *rows = static_cast<std::uint64_t*>(std::malloc(24 * found.size() + 1));
  for (const Routine& one : found) {
    *row++ = reinterpret_cast<std::uint64_t>(one.symbol);
    *row++ = mixed_routine(0, one.symbol);
    *row++ = (one.is_of_class ? 1 : 0) + (one.may_step ? 2 : 0);
  }
  return found.size();
}

/// Before a step: whether some loop is at its turn that it began a thousand steps ago, or less.
HILLOCK_SHOWN int hillock_is_in_loop() {
  constexpr long most = 1000;
  for (const auto& [at, loop] : loops)
    if (const long steps = steps_taken - 1 - loop.steps; steps < most && is_at(loop, steps))
      return 1;
  return 0;
}

/// Steps are not the script's meanwhile, who may ask for others within. Returns what was before.
HILLOCK_SHOWN int hillock_steps_are_ours(int are_ours) {
  return std::exchange(is_ours, are_ours != 0) ? 1 : 0;
}

/// How many turns of so many steps a loop has left, as its condition says of t and of what it
/// counts with, at most so many.
HILLOCK_SHOWN std::size_t hillock_turns_left(const void* place, int steps, std::size_t most) {
  return turns_left(loops.at(place), steps, most);
}

/// How many of them come before one in which a branch is taken that only NEURON may go into.
HILLOCK_SHOWN std::size_t hillock_turns_before_guards(const void* place, int steps,
                                                      std::size_t most) {
  return turns_left(loops.at(place), steps, most, true);
}

/// How many steps are too few for a run of their own.
HILLOCK_SHOWN int hillock_fewest_steps() {
  return static_cast<int>(fewest_steps);
}

/// The first of these are shown now; each fadvance() shows the next. numbers: where they are;
/// values: [step][t and then these], which stay.
HILLOCK_SHOWN void hillock_play(std::size_t count, double* const* numbers, std::size_t steps,
                                const double* values) {
  play.numbers.assign(1, t_of_hoc());
  play.numbers.insert(play.numbers.end(), numbers, numbers + count);
  play.values = values;
  play.steps = steps - 1;
  play.done = 0;
  show_step();
}
