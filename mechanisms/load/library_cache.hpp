#pragma once
// Where compiled mechanisms are kept, and how one gets there.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/mod_file.hpp"
#include "mechanisms/load/private_files.hpp"

namespace hillock::mechanisms {

/// The compiler does not accept what Hillock wrote: a bug, or a compiler without C++20.
class CompilationFailed : public Error {
  using Error::Error;
};

/// What a library was compiled with: changes with every header of the contract.
std::string library_abi();

/// A library that is open, so that what is loaded is what was checked.
struct CachedLibrary {
  std::filesystem::path path;
  Descriptor file;
};

/// Hears what happens while mechanisms are loaded: a line for the user.
using Announce = std::function<void(const std::string& line)>;

/// A folder of libraries: NAME-KEY/COMPILER.so, with KEY the hash of the mechanism's source, the
/// options and the headers, and COMPILER that of the compiler. Each ends with a sum of its content
/// and its place. Several processes may share it: libraries appear whole. Nothing is taken from it
/// that anybody but this user and root can change.
class LibraryCache {
 public:
  /// In $HILLOCK_CACHE, else $XDG_CACHE_HOME/hillock, else ~/.cache/hillock; made where it is
  /// missing. Throws InputOutputError when none of the three is set, and for a folder that others
  /// can change.
  LibraryCache();

  const std::filesystem::path& folder() const { return folder_; }

  /// The library of a mechanism by this compiler, or by any where there is none. What is damaged or
  /// can be changed by others is announced and passed over. Throws InputOutputError for a folder of
  /// the mechanism's that others can change.
  std::optional<CachedLibrary> find(const ModFile& mod, Isa isa, const Compiler* compiler,
                                    const Announce& announce) const;

  /// Compiles a mechanism and keeps its library. Throws CompilationFailed, with the folder in which
  /// the source stays, and InputOutputError. Thread-safe.
  CachedLibrary build(const ModFile& mod, Isa isa, const Compiler& compiler) const;

 private:
  /// Opens a library when it is whole and nobody else's; else `problem` says why not, and is empty
  /// where there is none.
  std::optional<CachedLibrary> open(const Descriptor& opened, const std::string& folder,
                                    const std::string& file, std::string& problem) const;

  std::filesystem::path folder_;
  Descriptor opened_;
};

}  // namespace hillock::mechanisms
