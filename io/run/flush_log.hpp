#pragma once
// Private: flush.log, which says how many rows of each partial file are safe from a kill.

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace hillock::io {

/// Appends lines `<file> <rows>`, each with one system call.
class FlushLog {
 public:
  static constexpr const char* name = "flush.log";

  /// Creates the file or empties it. Throws InputOutputError.
  explicit FlushLog(const std::filesystem::path& directory);
  ~FlushLog();
  FlushLog(const FlushLog&) = delete;
  FlushLog& operator=(const FlushLog&) = delete;

  void append(std::string_view file, std::uint64_t rows);
  void remove();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace hillock::io
