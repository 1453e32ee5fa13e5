#pragma once
// A list of numbers that is one number as long as all are equal.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/containers/unset_allocator.hpp"

namespace hillock {

/// Grows at its end. Equal means equal bits, so that 0 and -0 are two numbers.
template <class Number>
class OneOrManyOf {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool is_one() const { return many_.empty(); }
  /// The number of all, when is_one().
  Number one() const { return one_; }
  Number operator[](std::size_t i) const { return many_.empty() ? one_ : many_[i]; }
  /// [i], empty when is_one().
  std::span<const Number> many() const { return many_; }

  OneOrManyOf() = default;
  /// So many equal numbers.
  OneOrManyOf(std::size_t size, Number one) : one_(one), size_(size) {}
  explicit OneOrManyOf(std::span<const Number> many)
      : size_(many.size()), many_(many.begin(), many.end()) {}
  explicit OneOrManyOf(UnsetVector<Number> many) : size_(many.size()), many_(std::move(many)) {}

  void push_back(Number value) {
    if (size_ == 0) one_ = value;
    if (many_.empty() && !same(value, one_)) many_.assign(size_, one_);
    if (!many_.empty()) many_.push_back(value);
    ++size_;
  }
  void append(std::size_t count, Number value) {
    if (count == 0) return;
    if (size_ == 0) one_ = value;
    if (many_.empty() && !same(value, one_)) many_.assign(size_, one_);
    if (!many_.empty()) many_.insert(many_.end(), count, value);
    size_ += count;
  }
  void append(std::span<const Number> more) {
    auto from = more.begin();
    while (many_.empty() && from != more.end()) push_back(*from++);
    many_.insert(many_.end(), from, more.end());
    size_ += static_cast<std::size_t>(more.end() - from);
  }
  void append(const OneOrManyOf& more) { append(more, 0, more.size_); }
  /// Numbers first … first + count - 1 of others.
  void append(const OneOrManyOf& more, std::size_t first, std::size_t count) {
    if (more.is_one()) return append(count, more.one_);
    append(more.many().subspan(first, count));
  }
  bool operator==(const OneOrManyOf& other) const {
    if (size_ != other.size_) return false;
    if (is_one() && other.is_one()) return size_ == 0 || same(one_, other.one_);
    for (std::size_t i = 0; i < size_; ++i)
      if (!same((*this)[i], other[i])) return false;
    return true;
  }
  /// Makes room for so many numbers, whether they are one or not.
  void reserve(std::size_t size) { many_.reserve(size); }
  /// Gives back room that is not used.
  void shrink() { many_.shrink_to_fit(); }
  void set(std::size_t i, Number value) {
    if (same((*this)[i], value)) return;
    if (many_.empty()) many_.assign(size_, one_);
    many_[i] = value;
  }
  void swap(std::size_t i, std::size_t j) {
    if (!many_.empty()) std::swap(many_[i], many_[j]);
  }
  /// Moves number i to place there[i]; places are a permutation.
  void permute(const std::vector<std::uint32_t>& there) {
    if (many_.empty()) return;
    UnsetVector<Number> moved(size_);
    for (std::size_t i = 0; i < size_; ++i) moved[there[i]] = many_[i];
    many_ = std::move(moved);
  }
  std::size_t bytes() const { return many_.capacity() * sizeof(Number); }

 private:
  static bool same(Number a, Number b) {
    if constexpr (std::is_integral_v<Number>)
      return a == b;
    else
      return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  Number one_ = 0;
  std::size_t size_ = 0;
  UnsetVector<Number> many_;  ///< [i]; empty while all are one_
};

using OneOrMany = OneOrManyOf<double>;

}  // namespace hillock
