#pragma once
// Private: the bytes of one output file, kept readable at every instant. Data goes to the disk at
// once; what HDF5 keeps about the data (metadata) is held back and committed in a safe order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace hillock::io::hdf5 {

/// The disk under one HDF5 file that grows at its end only.
///
/// A kill between any two system calls leaves the state of the last commit plus data that no
/// metadata refers to, or a state in which each later page already agrees with the earlier ones:
///   1. data is written at once, at addresses the committed metadata does not use (a chunk that is
///      written again holds the same rows as before, and more);
///   2. commit() first lengthens the file, then writes the superblock (the file's end), then the
///      changed pages: new ones; nodes of the chunk index from the root down, so that an entry that
///      moved to a new node is found there before its old node loses it; the rest from the highest
///      address down, which puts the header with the dataset's extent behind the index.
/// So whatever refers to something is written after it. A node of the index fills one page.
/// A page is one write of at most 4096 aligned bytes, which a kill does not tear on Linux.
/// Not covered: a loss of power, unless sync() came after the last commit.
class DiskFile {
 public:
  static constexpr std::size_t page_bytes = 4096;

  /// Creates the file or empties it. Throws InputOutputError.
  explicit DiskFile(std::filesystem::path path);
  /// Removes a file that never got its name.
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  // These return false on failure, when error() says why: HDF5 calls them from C.
  bool write_data(std::uint64_t address, std::span<const std::byte> bytes) noexcept;
  bool write_metadata(std::uint64_t address, std::span<const std::byte> bytes) noexcept;
  /// The superblock is metadata that is committed before the rest.
  bool write_superblock(std::uint64_t address, std::span<const std::byte> bytes) noexcept;
  bool read(std::uint64_t address, std::span<std::byte> bytes) noexcept;
  /// end: the first address that is not in use.
  bool commit(std::uint64_t end) noexcept;
  /// What was committed stays through a loss of power.
  bool sync() noexcept;
  /// Commits, then cuts the file to its end.
  bool close(std::uint64_t end) noexcept;

  /// After a failure: writes nothing more, and says success so that HDF5 can close what it holds.
  void abandon() noexcept { abandoned_ = true; }

  std::uint64_t size() const { return size_; }
  /// The errno of the first failure, or 0.
  int error() const { return error_; }
  const std::filesystem::path& path() const { return path_; }
  bool is_named() const { return is_named_; }  ///< by rename()
  void rename(const std::filesystem::path& to);

  /// After close(): takes neither memory nor a descriptor until take_up().
  void set_aside();
  /// Throws InputOutputError.
  void take_up();

  /// Called after every system call that changes a file, so that a test can look at each state
  /// that a kill could leave. Must not call HDF5.
  static std::function<void(const DiskFile&)> observer;

 private:
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    bool changed = false;
  };

  Page* page(std::uint64_t index);
  bool put(std::uint64_t address, std::span<const std::byte> bytes);
  bool write_through(std::uint64_t address, std::span<const std::byte> bytes);
  bool write_page(std::uint64_t index, std::uint64_t end);
  std::vector<std::uint64_t> changed_pages_in_order() const;
  bool get(std::uint64_t address, std::span<std::byte> bytes);
  bool resize(std::uint64_t size);
  void open(int flags, const char* doing);
  bool fail();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t committed_end_ = 0;
  std::map<std::uint64_t, Page> pages_;  ///< every page that holds metadata, as HDF5 sees it
  std::uint64_t superblock_begin_ = 0;
  std::uint64_t superblock_end_ = 0;
  bool superblock_changed_ = false;
  bool abandoned_ = false;
  bool is_named_ = false;
  int error_ = 0;
};

}  // namespace hillock::io::hdf5
