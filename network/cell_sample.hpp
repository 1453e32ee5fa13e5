#pragma once
// Some of many cells, drawn with or without repetition.

#include <cstdint>
#include <vector>

#include "core/random/random.hpp"
#include "models/network.hpp"
#include "network/sort_below.hpp"
#include "network/taken_cells.hpp"

namespace hillock::network {

/// Draws `number` of the cells 0 … available - 1 (at most 2^32 - 1); without multapses number ≤
/// available. What it needs in between takes memory as those that are drawn.
class CellSample {
 public:
  /// Appends them as they come.
  void draw(RandomStream& draws, std::uint64_t available, std::uint64_t number,
            models::Multapses multapses, std::vector<std::uint32_t>& chosen) {
    if (multapses == models::Multapses::allowed) {
      for (std::uint64_t i = 0; i < number; ++i)
        chosen.push_back(static_cast<std::uint32_t>(draws.below(available)));
      return;
    }
    draw_once_each(draws, available, number, chosen);
    taken_.clear(available);
  }

  /// The same cells in rising order; `chosen` was empty.
  void draw_sorted(RandomStream& draws, std::uint64_t available, std::uint64_t number,
                   models::Multapses multapses, std::vector<std::uint32_t>& chosen) {
    if (multapses == models::Multapses::allowed) {
      draw(draws, available, number, multapses, chosen);
      sort_below(available, chosen, there_);
      return;
    }
    draw_once_each(draws, available, number, chosen);
    if (taken_.has_bits()) {  // many are read off in order
      chosen.clear();
      taken_.take_out(available, [&](std::uint32_t cell) { chosen.push_back(cell); });
    } else {
      sort_below(available, chosen, there_);
      taken_.clear(available);
    }
  }

 private:
  /// Floyd's sampling without replacement: exactly `number` draws (Bentley and Floyd 1987).
  void draw_once_each(RandomStream& draws, std::uint64_t available, std::uint64_t number,
                      std::vector<std::uint32_t>& chosen) {
    taken_.begin(available, number);
    for (std::uint64_t j = available - number; j < available; ++j) {
      auto cell = static_cast<std::uint32_t>(draws.below(j + 1));
      if (!taken_.take(cell)) taken_.take(cell = static_cast<std::uint32_t>(j));
      chosen.push_back(cell);
    }
  }

  TakenCells taken_;
  std::vector<std::uint32_t> there_;
};

}  // namespace hillock::network
