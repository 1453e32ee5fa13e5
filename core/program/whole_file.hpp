#pragma once
// Files, at once or block by block. What is read may have been named by somebody else: no device,
// no pipe, nothing without end.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hillock {

/// Why a file cannot be read, or its text in `text`. Only regular files up to `limit` bytes are
/// read, and nothing else is waited for.
std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text);

/// Bytes that come one block after the other.
class Blocks {
 public:
  virtual ~Blocks() = default;
  /// Of all together, in bytes.
  virtual std::uint64_t size() const = 0;
  /// The next, which stays until the one after it is asked for; nothing when all have come. Throws
  /// InputOutputError.
  virtual std::string_view next() = 0;
};

/// A text as one block.
class OneBlock final : public Blocks {
 public:
  /// The text must outlive this.
  explicit OneBlock(std::string_view text) : size_(text.size()), left_(text) {}
  std::uint64_t size() const override { return size_; }
  std::string_view next() override { return std::exchange(left_, {}); }

 private:
  std::uint64_t size_;
  std::string_view left_;
};

/// Why a file cannot be read, or its bytes in `blocks`: of those that read_whole_file() reads.
std::string open_in_blocks(const std::filesystem::path& path, std::uintmax_t limit,
                           std::unique_ptr<Blocks>& blocks);

/// Writes all of a text to an open file; false, and errno, when that fails.
bool write_all(int file, std::string_view text);

}  // namespace hillock
