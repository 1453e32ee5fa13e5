// Where NEURON 8.2 and 9.0 have their nodes.

#pragma once

#include <cstring>

#include "neuron.hpp"

namespace of_hillock {

/// One of NEURON's variables.
inline int& number(const char* name) {
  static int none = 0;
  void* const found = of_neuron(name);
  return found ? *static_cast<int*>(found) : none;
}

/// NEURON's nodes, which are one thread's where there are layers.
struct Nodes {
  char* thread = nullptr;
  void*** begin = nullptr;
  int count = 0;
  int thread_at = 0;  ///< which word of a node is its thread; 0 where none is
};

inline Nodes find_nodes() {
  Nodes nodes;
  void* const threads = of_neuron("nrn_threads");
  if (!threads || number("nrn_nthread") != 1) return nodes;
  nodes.thread = *static_cast<char**>(threads);
  constexpr int count_at = 44, nodes_in_8 = 120, nodes_in_9 = 80;
  std::memcpy(&nodes.count, nodes.thread + count_at, sizeof nodes.count);
  std::memcpy(&nodes.begin, nodes.thread + (is_9() ? nodes_in_9 : nodes_in_8), sizeof nodes.begin);
  constexpr int first_word = 6, last_word = 20;
  for (int word = first_word; nodes.count > 0 && word < last_word && nodes.thread_at == 0; ++word)
    if (nodes.begin[0][word] == nodes.thread) nodes.thread_at = word;
  return nodes;
}

}  // namespace of_hillock
