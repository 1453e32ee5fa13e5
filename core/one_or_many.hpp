#pragma once
// A list of numbers that is one number as long as all are equal.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hillock {

/// Grows at its end. Equal means equal bits, so that 0 and -0 are two numbers.
class OneOrMany {
 public:
  std::size_t size() const { return size_; }
  bool is_one() const { return many_.empty(); }
  /// The number of all, when is_one().
  double one() const { return one_; }
  double operator[](std::size_t i) const { return many_.empty() ? one_ : many_[i]; }
  /// [i], empty when is_one().
  std::span<const double> many() const { return many_; }

  OneOrMany() = default;
  /// So many equal numbers.
  OneOrMany(std::size_t size, double one) : one_(one), size_(size) {}
  explicit OneOrMany(std::vector<double> many) : size_(many.size()), many_(std::move(many)) {}

  void push_back(double value) {
    if (size_ == 0) one_ = value;
    if (many_.empty() && !same(value, one_)) many_.assign(size_, one_);
    if (!many_.empty()) many_.push_back(value);
    ++size_;
  }
  void append(std::size_t count, double value) {
    if (count == 0) return;
    if (size_ == 0) one_ = value;
    if (many_.empty() && !same(value, one_)) many_.assign(size_, one_);
    if (!many_.empty()) many_.insert(many_.end(), count, value);
    size_ += count;
  }
  void append(const OneOrMany& more) {
    if (more.is_one()) return append(more.size_, more.one_);
    if (many_.empty()) many_.assign(size_, one_);
    many_.insert(many_.end(), more.many_.begin(), more.many_.end());
    size_ += more.size_;
  }
  void set(std::size_t i, double value) {
    if (same((*this)[i], value)) return;
    if (many_.empty()) many_.assign(size_, one_);
    many_[i] = value;
  }
  /// Moves number i to place there[i]; places are a permutation.
  void permute(const std::vector<std::uint32_t>& there) {
    if (many_.empty()) return;
    std::vector<double> moved(size_);
    for (std::size_t i = 0; i < size_; ++i) moved[there[i]] = many_[i];
    many_ = std::move(moved);
  }
  std::size_t bytes() const { return many_.capacity() * sizeof(double); }

 private:
  static bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  double one_ = 0;
  std::size_t size_ = 0;
  std::vector<double> many_;  ///< [i]; empty while all are one_
};

}  // namespace hillock
