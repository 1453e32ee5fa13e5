#pragma once
// Where compiled mechanisms are kept, and how one gets there.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/mod_file.hpp"
#include "mechanisms/load/private_cache.hpp"

namespace hillock::mechanisms {

/// The compiler does not accept what Hillock wrote: a bug, or a compiler without C++20.
class CompilationFailed : public Error {
  using Error::Error;
};

inline constexpr const char* every_lanes = "1, 4, 8";

/// Which loops of a mechanism a library has.
struct LibraryLoops {
  Isa isa = Isa::baseline;
  Arithmetic arithmetic = Arithmetic::of_doubles;
  std::string lanes = every_lanes;  ///< for how many: "8"
};

/// What a library was compiled with: changes with every header of the contract.
std::string library_abi();

/// A library that is open, so that what is loaded is what was checked.
struct CachedLibrary {
  std::filesystem::path path;
  Descriptor file;
};

/// Libraries in the cache: NAME-KEY/COMPILER.so, with KEY the hash of the mechanism's source, its
/// loops, the options and the headers, and COMPILER that of the compiler.
class LibraryCache {
 public:
  const std::filesystem::path& folder() const { return cache_.folder(); }

  /// The library of a mechanism by this compiler, or by any where there is none. Throws as
  /// PrivateCache::find() does.
  std::optional<CachedLibrary> find(const ModFile& mod, const LibraryLoops& loops,
                                    const Compiler* compiler, const Announce& announce) const;

  /// Compiles mechanisms, whose names differ, as one unit, and keeps for each a library that has
  /// what the others need as well. Throws CompilationFailed, for the first that does not compile by
  /// itself either, with the folder in which its source stays, and InputOutputError. Thread-safe.
  std::vector<CachedLibrary> build(std::span<const ModFile* const> mods, const LibraryLoops& loops,
                                   const Compiler& compiler) const;

 private:
  PrivateCache cache_;
};

}  // namespace hillock::mechanisms
