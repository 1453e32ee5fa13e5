#pragma once
// Where compiled mechanisms are kept, and how one gets there.

#include <filesystem>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/mod_file.hpp"

namespace hillock::mechanisms {

/// The compiler does not accept what Hillock wrote: a bug, or a compiler without C++20.
class CompilationFailed : public Error {
  using Error::Error;
};

/// What a library was compiled with: changes with every header of the contract.
std::string library_abi();

/// A folder of libraries: NAME-KEY/COMPILER.so, with KEY the hash of the mechanism's source, the
/// options and the headers, and COMPILER that of the compiler. Several processes may share it:
/// libraries appear whole.
class LibraryCache {
 public:
  /// In $HILLOCK_CACHE, else $XDG_CACHE_HOME/hillock, else ~/.cache/hillock.
  /// Throws InputOutputError when none of the three is set.
  LibraryCache();

  const std::filesystem::path& folder() const { return folder_; }

  /// The library of a mechanism by this compiler, or by any where there is none.
  std::optional<std::filesystem::path> find(const ModFile& mod, Isa isa,
                                            const Compiler* compiler) const;

  /// Compiles a mechanism and keeps its library. Throws CompilationFailed, with the folder in which
  /// the source stays, and InputOutputError. Thread-safe.
  std::filesystem::path build(const ModFile& mod, Isa isa, const Compiler& compiler) const;

 private:
  std::filesystem::path folder_of(const ModFile& mod, Isa isa) const;

  std::filesystem::path folder_;
};

}  // namespace hillock::mechanisms
