#pragma once
// Numbers and lists of numbers in a message, one after the other.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "network/ranks.hpp"

namespace hillock::network {

class MessageWriter {
 public:
  explicit MessageWriter(Bytes& to) : to_(to) { to_.clear(); }

  template <class T>
  void put(std::span<const T> list) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::uint64_t count = list.size();
    append(&count, sizeof count);
    append(list.data(), list.size_bytes());
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::span<const T>(list));
  }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t before = to_.size();
    to_.resize(before + size);
    if (size > 0) std::memcpy(to_.data() + before, data, size);
  }

  Bytes& to_;
};

/// Reads what was put, in the same order. Throws std::runtime_error when it is not there.
class MessageReader {
 public:
  explicit MessageReader(BytesView from) : from_(from) {}

  template <class T>
  std::vector<T> take() {
    const BytesView bytes = take_bytes<T>();
    std::vector<T> list(bytes.size() / sizeof(T));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  }
  bool is_at_end() const { return from_.empty(); }
  /// The bytes of a list, which may lie unaligned.
  template <class T>
  BytesView take_bytes() {
    std::uint64_t count = 0;
    std::memcpy(&count, take(sizeof count).data(), sizeof count);
    if (count > from_.size() / sizeof(T)) cut();
    return take(count * sizeof(T));
  }

 private:
  [[noreturn]] static void cut() { throw std::runtime_error("a message between ranks is cut off"); }
  BytesView take(std::size_t size) {
    if (size > from_.size()) cut();
    const BytesView taken = from_.first(size);
    from_ = from_.subspan(size);
    return taken;
  }

  BytesView from_;
};

}  // namespace hillock::network
