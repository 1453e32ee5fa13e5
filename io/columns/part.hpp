#pragma once
// One of several parts of what stands in a row: bytes, rows.

#include <cstdint>

namespace hillock::io {

struct Part {
  std::uint64_t number = 0;
  std::uint64_t count = 1;

  /// Of so many things, those in [begin, end) are of this part; all parts together have each once.
  std::uint64_t begin(std::uint64_t size) const { return share(size, number); }
  std::uint64_t end(std::uint64_t size) const { return share(size, number + 1); }

 private:
  std::uint64_t share(std::uint64_t size, std::uint64_t parts) const {
    return size / count * parts + size % count * parts / count;
  }
};

}  // namespace hillock::io
