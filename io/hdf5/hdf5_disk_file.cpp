#include "io/hdf5/hdf5_disk_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::io::hdf5 {

std::function<void(const DiskFile&)> DiskFile::observer;

DiskFile::DiskFile(std::filesystem::path path) : path_(std::move(path)) {
  open(O_CREAT | O_TRUNC, "created");
}

void DiskFile::open(int flags, const char* doing) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
  if (descriptor_ < 0)
    throw InputOutputError(path_.string(), std::string("cannot be ") + doing + " (" +
                                               std::generic_category().message(errno) + ")");
}

DiskFile::~DiskFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!is_named_) ::unlink(path_.c_str());
}

void DiskFile::rename(const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(path_, to, error);
  if (error) throw InputOutputError(to.string(), "cannot take its name (" + error.message() + ")");
  path_ = to;
  is_named_ = true;
  if (observer) observer(*this);
}

void DiskFile::set_aside() {
  ::close(std::exchange(descriptor_, -1));
  pages_.clear();
}

void DiskFile::take_up() {
  open(0, "opened again");
}

bool DiskFile::fail() {
  if (error_ == 0) error_ = errno == 0 ? EIO : errno;
  return false;
}

bool DiskFile::write_through(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail();
    address += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    size_ = std::max(size_, address);
    if (observer) observer(*this);
  }
  return true;
}

/// Reads from the disk alone; what lies past the end is zero.
bool DiskFile::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::uint64_t there = size_ > address ? size_ - address : 0;
  if (there < bytes.size()) {
    std::ranges::fill(bytes.subspan(there), std::byte{0});
    bytes = bytes.first(there);
  }
  while (!bytes.empty()) {
    const ssize_t n = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail();  // 0: somebody else made it shorter
    address += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

DiskFile::Page* DiskFile::page(std::uint64_t index) {
  const auto [entry, is_new] = pages_.try_emplace(index);
  if (is_new && !get(index * page_bytes, entry->second.bytes)) return nullptr;
  return &entry->second;
}

/// Held back until the next commit.
bool DiskFile::put(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t offset = address % page_bytes;
    const std::size_t n = std::min(bytes.size(), page_bytes - offset);
    Page* target = page(address / page_bytes);
    if (target == nullptr) return false;
    std::byte* place = target->bytes.data() + offset;
    if (std::memcmp(place, bytes.data(), n) != 0) {
      std::memcpy(place, bytes.data(), n);
      target->changed = true;
    }
    address += n;
    bytes = bytes.subspan(n);
  }
  return true;
}

bool DiskFile::write_data(std::uint64_t address, std::span<const std::byte> bytes) noexcept try {
  if (abandoned_) return true;
  // Of a file that nobody can open yet small pieces go with the pages in which they lie.
  if (committed_end_ == 0 && bytes.size() < page_bytes) return put(address, bytes);
  if (!write_through(address, bytes)) return false;
  // A page of metadata that shares bytes with the data is written whole later: keep it equal.
  const std::uint64_t end = address + bytes.size();
  for (auto it = pages_.lower_bound(address / page_bytes);
       it != pages_.end() && it->first * page_bytes < end; ++it) {
    const std::uint64_t from = std::max(address, it->first * page_bytes);
    const std::uint64_t to = std::min(end, (it->first + 1) * page_bytes);
    std::memcpy(it->second.bytes.data() + from % page_bytes, bytes.data() + (from - address),
                to - from);
  }
  return true;
} catch (...) {
  errno = ENOMEM;
  return fail();
}

bool DiskFile::write_metadata(std::uint64_t address, std::span<const std::byte> bytes) noexcept
    try {
  return abandoned_ || put(address, bytes);
} catch (...) {
  errno = ENOMEM;
  return fail();
}

bool DiskFile::write_superblock(std::uint64_t address, std::span<const std::byte> bytes) noexcept {
  superblock_begin_ = address;
  superblock_end_ = std::max(superblock_end_, address + bytes.size());
  superblock_changed_ = true;
  return write_metadata(address, bytes);
}

bool DiskFile::read(std::uint64_t address, std::span<std::byte> bytes) noexcept try {
  if (!get(address, bytes)) return false;
  const std::uint64_t end = address + bytes.size();
  for (auto it = pages_.lower_bound(address / page_bytes);
       it != pages_.end() && it->first * page_bytes < end; ++it) {
    const std::uint64_t from = std::max(address, it->first * page_bytes);
    const std::uint64_t to = std::min(end, (it->first + 1) * page_bytes);
    std::memcpy(bytes.data() + (from - address), it->second.bytes.data() + from % page_bytes,
                to - from);
  }
  return true;
} catch (...) {
  errno = ENOMEM;
  return fail();
}

bool DiskFile::resize(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return fail();
  size_ = size;
  if (observer) observer(*this);
  return true;
}

bool DiskFile::write_page(std::uint64_t index, std::uint64_t end) {
  Page& target = pages_.at(index);
  const std::uint64_t begin = index * page_bytes;
  if (begin >= end) return true;
  const std::size_t n = std::min<std::uint64_t>(page_bytes, end - begin);
  if (!write_through(begin, std::span(target.bytes).first(n))) return false;
  target.changed = false;
  return true;
}

std::vector<std::uint64_t> DiskFile::changed_pages_in_order() const {
  struct Turn {
    int turn;
    std::uint64_t index;
  };
  std::vector<Turn> turns;
  for (const auto& [index, page] : pages_) {
    if (!page.changed) continue;
    // A version 1 index node starts with TREE, 1 for chunks, and its height above the leaves.
    constexpr std::array chunk_node{std::byte{'T'}, std::byte{'R'}, std::byte{'E'}, std::byte{'E'},
                                    std::byte{1}};
    constexpr int rest = 512;
    int turn = rest;
    if (index * page_bytes >= committed_end_)
      turn = 0;
    else if (std::equal(chunk_node.begin(), chunk_node.end(), page.bytes.begin()))
      turn = rest - 1 - std::to_integer<int>(page.bytes[chunk_node.size()]);
    turns.push_back({turn, index});
  }
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return a.turn != b.turn ? a.turn < b.turn : a.index > b.index;
  });
  std::vector<std::uint64_t> indices;
  for (const Turn& turn : turns) indices.push_back(turn.index);
  return indices;
}

bool DiskFile::commit(std::uint64_t end) noexcept try {
  if (abandoned_) return true;
  if (error_ != 0) return false;  // data is missing: the metadata must not tell of it
  if (size_ < end && !resize(end)) return false;
  if (superblock_changed_) {
    const Page* first = page(superblock_begin_ / page_bytes);
    if (first == nullptr) return false;
    const std::span bytes(first->bytes);
    if (!write_through(superblock_begin_, bytes.subspan(superblock_begin_ % page_bytes,
                                                        superblock_end_ - superblock_begin_)))
      return false;
    superblock_changed_ = false;
  }
  for (const std::uint64_t index : changed_pages_in_order())
    if (!write_page(index, end)) return false;
  committed_end_ = end;
  return true;
} catch (...) {
  errno = ENOMEM;
  return fail();
}

bool DiskFile::sync() noexcept {
  return abandoned_ || ::fsync(descriptor_) == 0 || fail();
}

bool DiskFile::close(std::uint64_t end) noexcept try {
  if (abandoned_) return true;
  return commit(end) && (size_ == end || resize(end));
} catch (...) {
  return fail();
}

}  // namespace hillock::io::hdf5
