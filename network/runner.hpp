#pragma once
// Work in pieces, which the caller's threads may share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

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
  Pieces(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}
  std::size_t count() const { return static_cast<std::size_t>((end_ - begin_ + size - 1) / size); }
  std::uint64_t begin(std::size_t i) const { return begin_ + i * size; }
  std::uint64_t end(std::size_t i) const { return std::min(end_, begin(i) + size); }

 private:
  static constexpr std::uint64_t size = 1024;
  std::uint64_t begin_, end_;
};

}  // namespace hillock::network
