// Extracellular layers, which NEURON hands over with no session: their nodes go without them
// meanwhile. Nothing of them is freed; what Python read of them stays where it is. By the layout of
// NEURON 8.2 and 9.0: where a thread has its nodes, and a node its mechanisms.

#include <cstring>
#include <vector>

#include "nodes.hpp"

using namespace of_hillock;

namespace {

constexpr short extracellular = 5;  // the type, as NEURON numbers it

/// Of a node with layers: what leads to them, and to the mechanism's numbers.
struct Aside {
  void** layers;
  void* its_layers;
  void** link;
  void* property;
};
std::vector<Aside> aside;

/// Where the list of a node's mechanisms leads to that of its layers; null where it does not.
void** link_to_layers(void** first) {
  const int next = is_9() ? 1 : 0;
  for (void** link = first; *link; link = static_cast<void**>(*link) + next) {
    short type = 0;
    std::memcpy(&type, static_cast<void**>(*link) + next + 1, sizeof type);
    if (type == extracellular) return link;
  }
  return nullptr;
}

}  // namespace

/// Nodes are without layers, and are to be laid out anew. Returns how many had some, -1 where
/// NEURON is built in another way than is known, or has several threads.
HILLOCK_SHOWN int hillock_set_layers_aside() {
  const Nodes nodes = find_nodes();
  if (nodes.thread_at == 0 || !of_neuron("use_sparse13") || !of_neuron("v_structure_change"))
    return -1;
  std::vector<Aside> found;
  for (int i = 0; i < nodes.count; ++i) {
    void** const node = nodes.begin[i];
    if (node[nodes.thread_at] != nodes.thread) return -1;
    void** const layers = node + nodes.thread_at + 1;
    void** const link = link_to_layers(node + nodes.thread_at - 4);
    if (!*layers != !link) return -1;
    if (link) found.push_back({layers, *layers, link, *link});
  }
  for (const Aside& one : found) {
    *one.layers = nullptr;
    *one.link = static_cast<void**>(one.property)[is_9() ? 1 : 0];
  }
  aside = std::move(found);
  number("use_sparse13") = 0;
  number("v_structure_change") = 1;
  return static_cast<int>(aside.size());
}

/// They have them again, and are to be laid out anew.
HILLOCK_SHOWN void hillock_put_layers_back() {
  for (const Aside& one : aside) {
    *one.layers = one.its_layers;
    *one.link = one.property;
  }
  if (!aside.empty()) number("v_structure_change") = 1;
  aside.clear();
}
