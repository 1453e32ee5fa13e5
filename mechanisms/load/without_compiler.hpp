#pragma once
// What is said where a mechanism has to be compiled and there is no compiler.

#include "mechanisms/load/library_cache.hpp"

namespace hillock::mechanisms {

/// Throws InvalidModel, at the place where a model names the file. is_told: why what the cache has
/// is not used.
[[noreturn]] void reject_without_compiler(const LibraryCache& cache, const ModFile& mod,
                                          const LibraryLoops& loops, bool is_told);

/// Rejects a mechanism of which the cache has no library with these loops, for whatever lanes.
void check_without_compiler(const LibraryCache& cache, const ModFile& mod, Isa isa,
                            Arithmetic arithmetic, const Announce& announce);

}  // namespace hillock::mechanisms
