// NEURON's functions and variables, by the names that its library shows.

#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define HILLOCK_SHOWN extern "C" __attribute__((visibility("default")))

namespace of_hillock {

inline constexpr const char* version_of_8 = "1.5";
inline constexpr const char* version_of_9 = "1.8";

/// Looks in one library that is loaded; its handle goes to `found` where NEURON is there.
inline int look_for_neuron(dl_phdr_info* library, std::size_t, void* found) {
  void* handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle || !dlsym(handle, "bbcore_write_version")) return 0;
  *static_cast<void**>(found) = handle;
  return 1;
}

/// Something of NEURON's, which Python may have loaded for itself alone; null where it is not.
inline void* of_neuron(const char* name) {
  static void* const library = [] {
    void* found = RTLD_DEFAULT;
    dl_iterate_phdr(look_for_neuron, static_cast<void*>(&found));
    return found;
  }();
  return dlsym(library, name);
}

/// What NEURON says of its hand-over; empty where it says nothing.
inline const char* version_of_neuron() {
  const void* said = of_neuron("bbcore_write_version");
  return said ? *static_cast<const char* const*>(said) : "";
}

inline bool is_9() {
  return std::strcmp(version_of_neuron(), version_of_9) == 0;
}

template <class Function>
Function* as(void* callback) {
  return reinterpret_cast<Function*>(callback);
}

/// Ends NEURON's statement with an error, as hoc's own functions do.
[[noreturn]] inline void fail(const char* text) {
  using Fail = void(const char*, const char*);
  void* end = of_neuron(is_9() ? "_Z13hoc_execerrorPKcS0_" : "hoc_execerror");
  if (end) as<Fail>(end)("Hillock:", text);
  std::fprintf(stderr, "Hillock: %s\n", text);
  std::abort();
}

}  // namespace of_hillock
