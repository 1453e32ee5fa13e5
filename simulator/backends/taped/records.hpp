#pragma once
// Equally long records of numbers, one after the other, in large pieces of memory.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace hillock::simulator::taped {

class Records {
 public:
  /// size: numbers of a record. most: so many there will be.
  explicit Records(std::size_t size = 1, std::size_t most = 1)
      : size_(size),
        most_(std::max(most, std::size_t{1})),
        in_a_piece_(std::clamp(piece / (size * sizeof(double)), std::size_t{1}, most_)) {}

  std::size_t bytes() const { return count_ * size_ * sizeof(double); }
  /// The next one, not yet set.
  double* add() {
    if (count_ == pieces_.size() * in_a_piece_) pieces_.push_back(new_piece());
    return at(count_++);
  }
  double* at(std::size_t record) const {
    return pieces_[record / in_a_piece_].get() + record % in_a_piece_ * size_;
  }
  /// Keeps the memory for others.
  void clear() { count_ = 0; }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20, piece = 2 * page;
  /// Leaves the memory to the system, until it is asked for again.
  struct GiveBack {
    std::size_t bytes = 0;
    void operator()(double* memory) const;
  };
  using Piece = std::unique_ptr<double[], GiveBack>;

  /// Of no more than what is left of most_.
  Piece new_piece() const;

  std::size_t size_, most_, in_a_piece_, count_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace hillock::simulator::taped
