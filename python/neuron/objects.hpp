// What is known of how objects of hoc's and NEURON's lie.

#pragma once

#include <algorithm>
#include <vector>

#include "neuron.hpp"

namespace of_hillock {

/// As far as known of NEURON's own.
struct NetCon {
  void* functions;
  double delay;
  void* source;
  void* target;
  double* weight;
};
struct SelfEvent {
  void* functions;
  double flag;
  void* target;
  double* weight;
};

/// What hoc has of an object.
struct Object {
  int references, index;
  void* what;
};

/// To be freed.
template <class Number>
Number* copied(const std::vector<Number>& from) {
  auto* to = new Number[from.size()];
  std::copy(from.begin(), from.end(), to);
  return to;
}

/// Whether an object is of the class with that table of functions: it points behind two words of
/// it.
inline bool is_of_class(void* object, void* table) {
  return object && *static_cast<void***>(object) - 2 == table;
}

}  // namespace of_hillock
