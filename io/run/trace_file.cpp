#include "io/run/trace_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "core/errors/errors.hpp"
#include "io/json/json.hpp"

namespace hillock::io {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  const int why = errno;
  throw InputOutputError(
      path.string(), fmt::format("cannot be written ({})", std::generic_category().message(why)),
      why);
}

/// What a thread or the process is called.
std::string name_of(const char* what, int rank, std::size_t thread, std::string name) {
  return Json::object({{"ph", "M"},
                       {"name", what},
                       {"pid", rank},
                       {"tid", thread},
                       {"args", Json::object({{"name", std::move(name)}})}})
      .line();
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path)
    : path_(path), file_(std::fopen(path.c_str(), "w")) {
  if (!file_) refuse(path);
}

void TraceFile::write(const Trace& trace, int rank) {
  const auto put = [&](const std::string& text) { std::fputs(text.c_str(), file_.get()); };
  put("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" +
      name_of("process_name", rank, 0, fmt::format("hillock, rank {}", rank)));
  std::size_t number = 0;
  for (const Trace::Thread& thread : trace.threads()) {
    put(",\n" + name_of("thread_name", rank, number, thread.name));
    for (const Trace::Span& span : thread.spans)
      put(fmt::format(R"(,{}{{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{}}})",
                      "\n", rank, number, 1e-3 * static_cast<double>(span.begin_ns),
                      1e-3 * static_cast<double>(span.end_ns - span.begin_ns),
                      Json(*span.work).line()));
    ++number;
  }
  put("\n]}\n");
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get())) refuse(path_);
}

}  // namespace hillock::io
