// Lines of graphs (addvar, addexpr and xexpr of hoc's Graph): what they read. By how these lie in
// NEURON 8.2 and 9.0: src/ivoc/graph.h.

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "objects.hpp"

using namespace of_hillock;

namespace {

/// NEURON's own, up to what it reads: an expression, which an entry of hoc's is named by, or a
/// number, of which it has an address or Handle.
struct Line {
  void* functions;
  int references;
  void *y, *x, *color, *brush, *label;
  bool is_kept;
  void* functions_of_observer;
  const char** expression;
  void* number;
};

/// A graph's, behind its x.
template <int words_of_name, class Pointer>
struct Axis {
  void* x;
  bool is_extended;
  void* chooser;
  void* name[words_of_name];
  void *line, *color, *brush;
  int type;
  float labels[6];
  void* keeps;
  bool is_family;
  void* label;
  double value;
  int count;
  void* action;
  bool copies;
  const char** expression;
  Pointer number;
};

}  // namespace

/// What a line reads: the number that `pointer` is to, or else an expression, in the context of an
/// object if there is one, of a class. name: what is written beside it, null of what a graph has
/// as x.
struct HillockLine {
  const char *name, *expression;
  const void* pointer;
  const Object* object;
  const char* its_class;
};

namespace {

HillockLine line_of(const char** expression, const void* pointer) {
  return {nullptr, expression ? *expression : nullptr, number_of(pointer) ? pointer : nullptr,
          nullptr, nullptr};
}

/// What a graph has as x, which its lines know, too; false where it is not found.
template <class Axis>
bool find_x(const void* graph, const Line& line, HillockLine& x) {
  auto* const words = static_cast<void* const*>(graph);
  const std::size_t bytes = malloc_usable_size(const_cast<void*>(graph));
  auto* const end = words + bytes / sizeof *words;
  auto* const found = std::find(words, end, line.x);
  if (found + sizeof(Axis) / sizeof *words > end) return false;
  const auto* const axis = reinterpret_cast<const Axis*>(found);
  x = line_of(axis->expression, &axis->number);
  return true;
}

/// What is done with each line of a graph that plot() goes on with. Returns false where NEURON is
/// built in another way than is known.
template <class Do>
bool for_lines(const Object* graph, const Do& what) {
  static void* const of_graphs = of_neuron("_ZTV5Graph");
  static void* const of_lines = of_neuron("_ZTV9GraphLine");
  static void* const count_of = of_neuron("_ZNK5Scene5countEv");
  static void* const part_of = of_neuron("_ZNK5Scene9componentEl");
  static void* const body_of = of_neuron("_ZNK11ivMonoGlyph4bodyEv");
  constexpr int most_functions = 128;
  if (!of_graphs || !of_lines || !count_of || !part_of || !body_of) return false;
  if (!is_of_class(graph->what, of_graphs)) return true;
  const long count = as<long(const void*)>(count_of)(graph->what);
  for (long i = 0; i < count; ++i) {
    void* const part = as<void*(const void*, long)>(part_of)(graph->what, i);
    void* const body = part ? as<void*(const void*)>(body_of)(part) : nullptr;
    if (!is_of_class(body, of_lines)) continue;
    Line& line = *static_cast<Line*>(body);
    auto* const of_observer = static_cast<void**>(line.functions_of_observer);
    if (of_observer < static_cast<void**>(of_lines) ||
        of_observer > static_cast<void**>(of_lines) + most_functions || !what(line))
      return false;
  }
  return true;
}

}  // namespace

/// All lines of a graph, behind its x, to be freed. Returns -1 where NEURON is built in another way
/// than is known.
HILLOCK_SHOWN int hillock_lines(const Object* graph, HillockLine** found) {
  static void* const name_of = of_neuron("_ZNK9GraphLine4nameEv");
  std::vector<HillockLine> lines;
  const bool is_known = name_of && for_lines(graph, [&](const Line& line) {
                          if (lines.empty()) {
                            lines.emplace_back();
                            if (!(is_9() ? find_x<Axis<4, Handle>>
                                         : find_x<Axis<1, void*>>)(graph->what, line, lines[0]))
                              return false;
                          }
                          lines.push_back(line_of(line.expression, &line.number));
                          HillockLine& own = lines.back();
                          own.name = as<const char*(const void*)>(name_of)(&line);
                          const auto* const object = reinterpret_cast<const char*>(&line.number) +
                                                     (is_9() ? sizeof(Handle) : sizeof(double*));
                          own.object = *reinterpret_cast<const Object* const*>(object);
                          if (own.object) own.its_class = **own.object->its_class;
                          return true;
                        });
  if (!is_known) return -1;
  *found = copied(lines);
  return static_cast<int>(lines.size());
}

/// Where NEURON 8.2 lays numbers out anew, a graph's lines would be told that theirs are freed,
/// which have moved, and lose them. So they hear of nothing, or from now on of those that they read
/// now; without an expression, which they would go on with, of nothing.
HILLOCK_SHOWN void hillock_keep_lines(const Object* graph, int hear) {
  static void* const forget = of_neuron("nrn_notify_pointer_disconnect");
  static void* const listen = of_neuron("nrn_notify_when_double_freed");
  if (is_9() || !forget || !listen) return;
  for_lines(graph, [&](Line& line) {
    if (line.number) as<void(void*)>(forget)(&line.functions_of_observer);
    if (line.number && line.expression && hear)
      as<void(void*, void*)>(listen)(line.number, &line.functions_of_observer);
    return true;
  });
}

/// Vectors that record from now on do so, where NEURON would begin with its next finitialize().
HILLOCK_SHOWN void hillock_begin_records() {
  void* const begin = of_neuron("_ZN8NetCvode13playrec_setupEv");
  void* const all = of_neuron("net_cvode_instance");
  if (begin && all) as<void(void*)>(begin)(*static_cast<void**>(all));
}

/// Where the number is that a pointer of NEURON's is to.
HILLOCK_SHOWN double* hillock_number(const void* pointer) {
  return number_of(pointer);
}

/// Where the number is that hoc_pointer_() was last called with; null where NEURON is built in
/// another way than is known.
HILLOCK_SHOWN double* hillock_pointed_to() {
  static void* const pointer = of_neuron(is_9() ? "hoc_varhandle" : "hoc_varpointer");
  return pointer ? number_of(pointer) : nullptr;
}

/// Which number of the model a pointer of NEURON's is to, as POINTERs have it, when numbers lie as
/// they are handed over. Returns 0 where it is none.
HILLOCK_SHOWN int hillock_place_of(const void* pointer, int threads, int* thread, int* type,
                                   int* index) {
  static void* const find = of_neuron(
      is_9() ? "_Z19nrn_dblpntr2nrncoreN6neuron9container11data_handleIdEER9NrnThreadRiS5_"
             : "nrn_dblpntr2nrncore");
  const void* const passed = is_9() ? pointer : *static_cast<void* const*>(pointer);
  for (*thread = 0; find && *thread < threads; ++*thread)
    if (as<int(const void*, void*, int&, int&)>(find)(passed, address_of_thread(*thread), *type,
                                                      *index) == 0)
      return 1;
  return 0;
}
