#pragma once
// Mechanisms from .mod files, ready to run: compiled where the cache has no library of theirs.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/library_cache.hpp"

namespace hillock::mechanisms {

/// Mechanisms, in their order, without loops. arithmetic: what a run will ask kernels() for. As
/// long as they live announce, on any thread, hears of libraries that are compiled, and of those
/// that are there and not used. Throws InvalidModel where a mechanism has to be compiled and there
/// is no compiler, and InputOutputError where there can be no cache.
std::vector<std::shared_ptr<const Mechanism>> load(std::vector<ModFile> mods, Arithmetic arithmetic,
                                                   const Announce& announce);

/// Gives mechanisms their loops for so many lanes, for the rest of the process: those of .mod files
/// are compiled, several at a time, where neither this process nor the cache has them. Throws
/// InvalidModel as load() does, CompilationFailed and InputOutputError. Thread-safe.
void make_ready(std::span<const Mechanism* const> mechanisms, int lanes, Arithmetic arithmetic);

struct LoadedLibrary {
  const KernelSet* kernels = nullptr;
  std::filesystem::path path;
  bool was_cached = true;
};

/// The libraries of mechanisms, in their order, with these loops at least. Throws as make_ready().
std::vector<LoadedLibrary> load_libraries(const std::vector<const ModFile*>& mods,
                                          const LibraryLoops& loops,
                                          const std::optional<Compiler>& compiler,
                                          const Announce& announce);

}  // namespace hillock::mechanisms
