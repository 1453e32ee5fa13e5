// LinearMechanisms, with which NEURON hands over no session: they are none of it meanwhile. By the
// layout of NEURON 8.2 and 9.0.

#include <algorithm>

#include "nodes.hpp"
#include "objects.hpp"

using namespace of_hillock;

namespace {

/// What NEURON keeps of one.
struct LinearMechanism {
  void* functions;
  void* equations;  // among those that it solves; null: of none
  void *c, *g, *y, *y0, *b;
  int count;
  void* callable;
  void** nodes;
  void* layers;
};

const LinearMechanism& what_is(const void* object) {
  return *static_cast<const LinearMechanism*>(static_cast<const Object*>(object)->what);
}

void* equations_of(const void* object) {
  return what_is(object).equations;
}

}  // namespace

/// What an object of hoc's is of its class.
HILLOCK_SHOWN void* hillock_what_is(const void* object) {
  return static_cast<const Object*>(object)->what;
}

/// Of a LinearMechanism: c, g, y, b, what is called in every step, and of which layers its places
/// are; null where it has none. Returns at how many places it is, -1 where it is no more.
HILLOCK_SHOWN int hillock_linear_mechanism(const void* object, void** parts) {
  const LinearMechanism& of = what_is(object);
  if (!of.equations) return -1;
  void* const all[] = {of.c, of.g, of.y, of.b, of.callable, of.layers};
  std::copy(std::begin(all), std::end(all), parts);
  return of.nodes ? of.count : 0;
}

/// The numbers of its nodes, as NEURON has laid them out. False where one is none of these.
HILLOCK_SHOWN int hillock_nodes_of_linear_mechanism(const void* object, int* numbers) {
  const LinearMechanism& of = what_is(object);
  const Nodes nodes = find_nodes();
  for (int i = 0; i < of.count; ++i) {
    void*** const end = nodes.begin + nodes.count;
    void*** const found = std::find(nodes.begin, end, static_cast<void**>(of.nodes[i]));
    if (found == end) return 0;
    numbers[i] = static_cast<int>(found - nodes.begin);
  }
  return 1;
}

/// NEURON has no LinearMechanism, and its nodes are to be laid out anew. False, and all as it was,
/// where this is not known of it, or it has equations of another kind.
HILLOCK_SHOWN int hillock_set_wiring_aside(int count, const void* const* objects) {
  static void* const add = of_neuron("_Z15nrndae_registerP6NrnDAE");
  static void* const remove = of_neuron("_Z17nrndae_deregisterP6NrnDAE");
  static void* const is_empty = of_neuron("_Z20nrndae_list_is_emptyv");
  if (!add || !remove || !is_empty || !of_neuron("use_sparse13") ||
      !of_neuron("v_structure_change"))
    return 0;
  for (int i = 0; i < count; ++i)
    if (void* const its = equations_of(objects[i])) as<void(void*)>(remove)(its);
  if (!as<int()>(is_empty)()) {
    for (int i = 0; i < count; ++i)
      if (void* const its = equations_of(objects[i])) as<void(void*)>(add)(its);
    return 0;
  }
  number("use_sparse13") = 0;
  number("v_structure_change") = 1;
  return 1;
}

/// It has them again.
HILLOCK_SHOWN void hillock_put_wiring_back(int count, const void* const* objects) {
  static void* const add = of_neuron("_Z15nrndae_registerP6NrnDAE");
  for (int i = 0; i < count; ++i)
    if (void* const its = equations_of(objects[i])) as<void(void*)>(add)(its);
  number("v_structure_change") = 1;
}
