#pragma once
// The files a model names: how their paths are resolved, read once each, kept for provenance; of
// large ones the hash alone.

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/program/whole_file.hpp"
#include "io/yaml/yaml_node.hpp"
#include "models/network.hpp"

namespace hillock::io {

/// Reads the files that a model names. Texts stay at their address until take().
class InputFiles {
 public:
  /// held: by name, files that lie in memory.
  explicit InputFiles(std::filesystem::path library, std::map<std::string, std::string> held = {})
      : library_(std::move(library)), held_(std::move(held)) {}

  struct Resolved {
    std::filesystem::path path;  ///< where it lies
    std::string shown;           ///< how messages name it
    std::string canonical = {};  ///< the path, where somebody knows that
  };
  /// `name` is relative to the file it stands in; "library:x" to the library. One that is held is
  /// that.
  Resolved resolve(const std::string& name, const Source& from) const;

  /// The text of a file, or null after an error at `place`.
  const std::string* read(const Resolved& file, const std::string& name, const Place& place,
                          Diagnostics& diagnostics);

  /// The bytes of a file that is not kept, or null after an error at `place`. Its hash is known
  /// when all have come. These files must outlive the blocks. Throws InputOutputError where the
  /// file has other bytes than when it was read before.
  std::unique_ptr<Blocks> open(const Resolved& file, const std::string& name, const Place& place,
                               Diagnostics& diagnostics);

  /// Adds a file that was read already (the model itself).
  const std::string& add(const std::filesystem::path& path, const std::string& name,
                         std::string text);

  /// A file of arrays that lie in memory was read; sha256: asked for once.
  void note_held(const std::string& name, const std::function<std::string()>& sha256);

  /// Every file read, in the order of first reading.
  std::vector<models::InputFile> take();

 private:
  class HashedBlocks;

  bool is_held(const std::string& name) const { return held_.contains(name); }
  /// The text of a file that is kept or held, or null.
  const std::string* find(const Resolved& file, const std::string& name);

  const std::string& keep(const std::string& key, const std::string& name, std::string text);
  models::InputFile& add_name(const std::string& key, const std::string& name);

  std::filesystem::path library_;
  std::map<std::string, std::string> held_;  ///< of those that were asked for the text is in files_
  std::deque<models::InputFile> files_;
  std::map<std::string, std::size_t> by_path_;  ///< into files_
  std::set<std::size_t> kept_;                  ///< of files_, those whose text is there
};

}  // namespace hillock::io
