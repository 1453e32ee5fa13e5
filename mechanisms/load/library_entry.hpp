#pragma once
// What a compiled mechanism's library hands over. Its source and the program that loads it are both
// compiled with this file.

#include "mechanisms/adjoint_loops.hpp"
#include "mechanisms/cpu_kernels.hpp"

namespace hillock::mechanisms {

struct LibraryEntry {
  const char* abi;    ///< of the headers the library was compiled with: library_abi()
  KernelSet kernels;  ///< those that it was compiled for
};

/// The function of a mechanism in its library: this, and the name of its evaluator.
using LibraryFunction = const LibraryEntry* (*)();
inline constexpr const char* library_function = "hillock_mechanism_";

}  // namespace hillock::mechanisms
