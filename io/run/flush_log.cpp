#include "io/run/flush_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/errors/errors.hpp"

namespace hillock::io {

FlushLog::FlushLog(const std::filesystem::path& directory) : path_(directory / name) {
  descriptor_ =
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ < 0)
    throw InputOutputError(path_.string(),
                           "cannot be created (" + std::generic_category().message(errno) + ")");
}

FlushLog::~FlushLog() {
  ::close(descriptor_);
}

void FlushLog::append(std::string_view file, std::uint64_t rows) {
  const std::string line = fmt::format("{} {}\n", file, rows);
  if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw InputOutputError(path_.string(),
                           "cannot be written: " + std::generic_category().message(errno));
}

void FlushLog::remove() {
  std::filesystem::remove(path_);
}

}  // namespace hillock::io
