#include "core/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hillock {

namespace {

constexpr const char* not_regular = "this is not a regular file";

/// Reads what an open file holds now; it may have taken another's place after it was looked at.
std::string read_open_file(int descriptor, std::uintmax_t limit, std::string& text) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return std::strerror(errno);
  if (!S_ISREG(found.st_mode)) return not_regular;
  const auto size = static_cast<std::uintmax_t>(found.st_size);
  if (size > limit) return fmt::format("the file is larger than {} MiB", limit >> 20);
  text.resize(static_cast<std::size_t>(size));
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = ::read(descriptor, text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fmt::format("reading the file failed ({})", std::strerror(errno));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return "";
}

}  // namespace

std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text) {
  // Looked at first: to open a device may already do something.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (error) return error.message();
  if (std::filesystem::is_directory(status)) return "this is a directory, not a file";
  if (!std::filesystem::is_regular_file(status)) return not_regular;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::strerror(errno);
  const std::string problem = read_open_file(descriptor, limit, text);
  ::close(descriptor);
  return problem;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace hillock
