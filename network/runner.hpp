#pragma once
// Work in pieces, which the caller's threads may share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace hillock::network {

/// Calls body(i) for every i below count, in any order, and waits.
using Runner = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

/// On the calling thread.
inline void one_by_one(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

/// [begin, end) cut into pieces that are worth a thread's while.
class Pieces {
 public:
  /// No more than `most` pieces.
  Pieces(std::uint64_t begin, std::uint64_t end,
         std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : begin_(begin),
        end_(end),
        size_(std::max<std::uint64_t>(1024, end > begin ? (end - begin - 1) / most + 1 : 1)) {}
  std::size_t count() const {
    return static_cast<std::size_t>((end_ - begin_ + size_ - 1) / size_);
  }
  std::uint64_t begin(std::size_t i) const { return begin_ + i * size_; }
  std::uint64_t end(std::size_t i) const { return std::min(end_, begin(i) + size_); }

 private:
  std::uint64_t begin_, end_, size_;
};

}  // namespace hillock::network
