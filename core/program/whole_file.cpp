#include "core/program/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock {

namespace {

constexpr const char* not_regular = "this is not a regular file";

/// A descriptor that is closed when this goes.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Reads as many bytes as there are, up to `count`; -1, and errno, when that fails.
ssize_t read_some(int descriptor, char* to, std::size_t count) {
  while (true) {
    const ssize_t got = ::read(descriptor, to, count);
    if (got >= 0 || errno != EINTR) return got;
  }
}

std::string reading_failed() {
  return fmt::format("reading the file failed ({})", std::strerror(errno));
}

/// Opens a regular file. Why that cannot be done; its size now: another may have taken its place
/// after it was looked at.
std::string open_regular(const std::filesystem::path& path, std::uintmax_t limit, OpenFile& file,
                         std::size_t& size) {
  // Looked at first: to open a device may already do something.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (error) return error.message();
  if (std::filesystem::is_directory(status)) return "this is a directory, not a file";
  if (!std::filesystem::is_regular_file(status)) return not_regular;
  file = OpenFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) return std::strerror(errno);
  if (!S_ISREG(found.st_mode)) return not_regular;
  if (static_cast<std::uintmax_t>(found.st_size) > limit)
    return fmt::format("the file is larger than {} MiB", limit >> 20);
  size = static_cast<std::size_t>(found.st_size);
  return "";
}

class FileBlocks final : public Blocks {
 public:
  FileBlocks(const std::filesystem::path& path, OpenFile file, std::size_t size)
      : path_(path), file_(std::move(file)), size_(size), left_(size) {}

  std::uint64_t size() const override { return size_; }
  std::string_view next() override {
    constexpr std::size_t most = 1 << 20;
    const std::size_t wanted = std::min(most, left_);
    if (wanted == 0) return {};
    if (!block_) block_ = std::make_unique_for_overwrite<char[]>(wanted);
    const ssize_t count = read_some(file_.get(), block_.get(), wanted);
    if (count < 0) throw InputOutputError(path_.string(), reading_failed());
    if (count == 0)
      throw InputOutputError(path_.string(), "the file became shorter while it was read");
    left_ -= static_cast<std::size_t>(count);
    return {block_.get(), static_cast<std::size_t>(count)};
  }

 private:
  std::filesystem::path path_;
  OpenFile file_;
  std::size_t size_, left_;
  std::unique_ptr<char[]> block_;
};

}  // namespace

std::string open_in_blocks(const std::filesystem::path& path, std::uintmax_t limit,
                           std::unique_ptr<Blocks>& blocks) {
  OpenFile file(-1);
  std::size_t size = 0;
  const std::string problem = open_regular(path, limit, file, size);
  if (problem.empty()) blocks = std::make_unique<FileBlocks>(path, std::move(file), size);
  return problem;
}

std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text) {
  OpenFile file(-1);
  std::size_t size = 0, filled = 0;
  if (std::string problem = open_regular(path, limit, file, size); !problem.empty()) return problem;
  text.resize(size);
  while (filled < size) {
    const ssize_t count = read_some(file.get(), text.data() + filled, size - filled);
    if (count < 0) return reading_failed();
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return "";
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
