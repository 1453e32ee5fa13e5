#pragma once
// What a compiled mechanism's library hands over. Its source and the program that loads it are both
// compiled with this file.

#include "mechanisms/cpu_kernels.hpp"

namespace hillock::mechanisms {

struct LibraryEntry {
  const char* abi;  ///< of the headers the library was compiled with: library_abi()
  const MechanismInfo* info;
  /// For the instruction set that it was compiled for; mixed: null where it has none.
  const KernelSet *kernels, *mixed;
};

/// The one function of a library, under the name library_function.
using LibraryFunction = const LibraryEntry* (*)();
inline constexpr const char* library_function = "hillock_mechanism";

template <class E>
constexpr LibraryEntry library_entry(const char* abi, const KernelSet* kernels,
                                     const KernelSet* mixed) {
  return {abi, &E::info, kernels, mixed};
}

}  // namespace hillock::mechanisms
