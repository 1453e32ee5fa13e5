#pragma once
// Mechanisms from .mod files, ready to run: compiled where the cache has no library of theirs.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/library_cache.hpp"

namespace hillock::mechanisms {

/// Mechanisms have to be compiled, and there is no compiler.
class NoCompiler : public Error {
 public:
  explicit NoCompiler(std::size_t first);
  std::size_t first() const { return first_; }  ///< of the mechanisms, by index

 private:
  std::size_t first_;
};

struct LoadedMechanism {
  std::shared_ptr<const Mechanism> mechanism;  ///< for the active instruction set alone
  std::filesystem::path library;
  bool was_cached = true;
};

/// Loads mechanisms, in their order, for the rest of the process. Several are compiled at a time,
/// which is announced, as are libraries that are there and not used. arithmetic: what a run will
/// ask kernels() for, beside doubles. Throws NoCompiler, CompilationFailed, InputOutputError.
std::vector<LoadedMechanism> load(const std::vector<ModFile>& mods, Arithmetic arithmetic,
                                  const Announce& announce);

}  // namespace hillock::mechanisms
