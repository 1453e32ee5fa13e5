#pragma once
// Which of many cells were taken, in memory of those that are.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hillock::network {

/// A bit a cell where many are taken, a table of those that are where few. Serves again and again;
/// empty between uses.
class TakenCells {
 public:
  /// About to take at most `number` of `available` cells.
  void begin(std::uint64_t available, std::uint64_t number) {
    has_bits_ = number >= available / 64;
    if (has_bits_) {
      if (words_.size() < available / 64 + 1) words_.resize(available / 64 + 1, 0);
      return;
    }
    const std::size_t places = std::bit_ceil(2 * number + 2);
    if (table_.size() < places) table_.assign(places, nobody);
    used_ = places;
    shift_ = 32 - std::countr_zero(places);
  }
  bool has_bits() const { return has_bits_; }

  /// False when it was taken before.
  bool take(std::uint32_t cell) {
    if (has_bits_) {
      std::uint64_t& word = words_[cell / 64];
      const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
      const bool is_new = !(word & bit);
      word |= bit;
      return is_new;
    }
    std::size_t at = (cell * 0x9e3779b9u) >> shift_;
    while (table_[at] != nobody && table_[at] != cell) at = (at + 1) & (used_ - 1);
    const bool is_new = table_[at] == nobody;
    table_[at] = cell;
    return is_new;
  }

  /// Calls body(cell) for all, rising, and forgets them. With bits alone.
  template <class Body>
  void take_out(std::uint64_t available, const Body& body) {
    for (std::uint64_t w = 0; w < available / 64 + 1; ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        body(static_cast<std::uint32_t>(w * 64 +
                                        static_cast<std::uint64_t>(std::countr_zero(word))));
      words_[w] = 0;
    }
  }
  /// Forgets all.
  void clear(std::uint64_t available) {
    if (has_bits_)
      std::fill_n(words_.begin(), available / 64 + 1, 0);
    else
      std::fill_n(table_.begin(), used_, nobody);
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  bool has_bits_ = true;
  int shift_ = 0;
  std::size_t used_ = 0;              ///< places of the table
  std::vector<std::uint64_t> words_;  ///< all 0 between uses
  std::vector<std::uint32_t> table_;  ///< all nobody between uses
};

}  // namespace hillock::network
