#pragma once
// Which cells of a population something is of, in its order. Cells that are equally far apart, as
// those of a rank are, take no memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hillock {

class CellIndices {
 public:
  static constexpr std::size_t nowhere = ~std::size_t{0};

  CellIndices() = default;
  /// `size` of them from `first` on; stride: above 0.
  CellIndices(std::uint64_t first, std::uint64_t stride, std::size_t size)
      : first_(first), stride_(size < 2 ? 1 : stride), size_(size) {}
  explicit CellIndices(std::span<const std::uint64_t> indices) {
    for (const std::uint64_t index : indices) push_back(index);
  }

  std::size_t size() const { return size_; }
  std::uint64_t operator[](std::size_t i) const {
    return many_.empty() ? first_ + i * stride_ : many_[i];
  }
  /// How far apart all are; 0: not equally far.
  std::uint64_t stride() const { return many_.empty() ? stride_ : 0; }

  void push_back(std::uint64_t index) {
    if (size_ == 0) first_ = index;
    if (size_ == 1 && index > first_) stride_ = index - first_;
    if (many_.empty() && size_ > 0 && index != first_ + size_ * stride_) spell_out();
    if (!many_.empty()) many_.push_back(index);
    ++size_;
  }

  /// Whether every index is above the one before.
  bool are_rising() const {
    return std::ranges::adjacent_find(many_, std::ranges::greater_equal()) == many_.end();
  }
  /// The place of a cell among rising indices, or `nowhere`.
  std::size_t find(std::uint64_t index) const {
    if (size_ == 0) return nowhere;
    if (many_.empty()) {
      if (index < first_ || (index - first_) % stride_ != 0) return nowhere;
      const std::uint64_t place = (index - first_) / stride_;
      return place < size_ ? static_cast<std::size_t>(place) : nowhere;
    }
    const auto at = std::ranges::lower_bound(many_, index);
    if (at == many_.end() || *at != index) return nowhere;
    return static_cast<std::size_t>(at - many_.begin());
  }

 private:
  void spell_out() {
    for (std::size_t i = 0; i < size_; ++i) many_.push_back(first_ + i * stride_);
  }

  std::uint64_t first_ = 0;
  std::uint64_t stride_ = 1;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> many_;  ///< [i]; empty while all are equally far apart
};

}  // namespace hillock
