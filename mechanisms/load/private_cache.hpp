#pragma once
// The folder in which what was compiled is kept: for one user, shared by processes. Not here: what
// is compiled, and by what its content is called.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mechanisms/load/private_files.hpp"

namespace hillock::mechanisms {

/// Hears what happens while something is loaded: a line for the user.
using Announce = std::function<void(const std::string& line)>;

/// A file of the cache, open, so that what is used is what was checked.
struct KeptFile {
  std::filesystem::path path;
  std::string content;
  Descriptor file;
};

class BuildingFolder;

/// Folders of files. Each file ends with a sum of its content and its place. Several processes may
/// share them: files appear whole. Nothing is taken from here that anybody but this user and root
/// can change.
class PrivateCache {
 public:
  /// In $HILLOCK_CACHE, else $XDG_CACHE_HOME/hillock, else ~/.cache/hillock, or where that can be
  /// neither found nor made hillock-UID in $TMPDIR or /tmp; made where it is missing. Throws
  /// InputOutputError for one that cannot be made, and for one that others can change.
  PrivateCache();

  const std::filesystem::path& folder() const { return folder_; }
  const Descriptor& opened() const { return opened_; }

  /// A file of a folder, or any of its files where no name is given. What is damaged or can be
  /// changed by others is announced and passed over. Throws InputOutputError for a folder that
  /// others can change.
  std::optional<KeptFile> find(const std::string& folder, const std::optional<std::string>& file,
                               const Announce& announce) const;

  /// Keeps what was made in a building folder, in place of what was there. Throws
  /// InputOutputError. Thread-safe, as is find().
  KeptFile keep(const BuildingFolder& building, const std::string& folder, const std::string& file,
                const std::string& content) const;

 private:
  /// A file that is whole and nobody else's; else `problem` says why not, and is empty where there
  /// is none.
  std::optional<KeptFile> open(const Descriptor& opened, const std::string& folder,
                               const std::string& file, std::string& problem) const;

  std::filesystem::path folder_;
  Descriptor opened_;
};

/// A new folder of the cache's, so that renaming moves nothing between file systems. Removed at the
/// end unless it is to be kept.
class BuildingFolder {
 public:
  /// Throws InputOutputError.
  explicit BuildingFolder(const PrivateCache& cache);
  ~BuildingFolder();
  BuildingFolder(const BuildingFolder&) = delete;
  BuildingFolder& operator=(const BuildingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Descriptor& opened() const { return opened_; }
  /// Writes a file in it, below folders that are made. Throws InputOutputError.
  void write(const std::filesystem::path& file, std::string_view text) const;
  void leave() { is_left_ = true; }

 private:
  std::filesystem::path path_;
  Descriptor opened_;
  bool is_left_ = false;
};

}  // namespace hillock::mechanisms
