#pragma once
// What threads did, as the trace viewers of browsers read it.

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/program/trace.hpp"

namespace hillock::io {

/// A file of the Trace Event Format, which Perfetto and the tracing pages of browsers show: an
/// event of type X a span, times in microseconds, the rank as the process.
class TraceFile {
 public:
  /// Throws InputOutputError where it cannot be opened.
  explicit TraceFile(const std::filesystem::path& path);
  /// To be called once. Throws InputOutputError.
  void write(const Trace& trace, int rank);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace hillock::io
