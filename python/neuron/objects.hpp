// What is known of how objects of hoc's and NEURON's lie.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
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

/// What hoc has of an object. its_class: of a class the first word is its name's entry.
struct Object {
  int references, index;
  void* what;
  const char** const* its_class;
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

/// NEURON's own thread of that number, as it finds that of a Vector that is recorded: by a number
/// among what is known of it.
inline void* address_of_thread(int thread) {
  static void* const thread_of = of_neuron("_ZN15PlayRecordEvent6threadEv");
  if (!thread_of) return nullptr;
  std::array<int, 64> player{};
  player.fill(thread);
  void* event[] = {nullptr, player.data()};
  return as<void*(void*)>(thread_of)(event);
}

/// What of NEURON's has Vectors played.
std::vector<void*> plays_of_session();
/// How many times the Vector has that is the number `play` of these, linear between times; negative
/// where NEURON is built in another way than is known.
int count_of_times(const std::vector<void*>& plays, int play);

/// What NEURON 9.0 has where 8.2 has a number's address: that, or, of a number in one of its
/// columns, the row, which others hold as well, and the column.
struct Handle {
  const std::size_t* row;
  const void* holders;
  void* place;
  int width, at;
};

/// Where the number is now; null where it is no more.
inline double* number_of(const void* pointer) {
  if (!is_9()) return *static_cast<double* const*>(pointer);
  const auto* handle = static_cast<const Handle*>(pointer);
  if (!handle->row) return static_cast<double*>(handle->place);
  auto* const column = *static_cast<double* const*>(handle->place);
  if (*handle->row == std::numeric_limits<std::size_t>::max() || !column) return nullptr;
  return column + static_cast<std::size_t>(handle->width) * *handle->row + handle->at;
}

}  // namespace of_hillock
