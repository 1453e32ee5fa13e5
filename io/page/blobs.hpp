#pragma once
// Arrays of numbers that a page carries as text.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hillock::io::page {

/// RFC 4648, with padding, on one line.
std::string base64(std::span<const std::byte> bytes);

/// Arrays in the order in which they came; a page's script finds each by its number.
class Blobs {
 public:
  template <class Value>
  std::size_t add(std::span<const Value> values) {
    texts_.push_back(base64(std::as_bytes(values)));
    return texts_.size() - 1;
  }
  template <class Value>
  std::size_t add(const std::vector<Value>& values) {
    return add(std::span<const Value>(values));
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace hillock::io::page
