#pragma once
// The detectors of one group: which of its cells are above their threshold.

#include <bit>
#include <cstdint>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::simulator::cpu {

class Detectors {
 public:
  Detectors() = default;
  /// `sweep` must outlive this.
  Detectors(const GroupLayout& group, const solver::SweepKernels& sweep);

  /// Calls crossed(cell, index of its voltage in v) for every cell that was not above the threshold
  /// when last tested and is now, in the order of cells.
  template <class Crossed>
  void test(const double* v, double threshold_mV, const Crossed& crossed) {
    if (at_.empty()) return;
    find_above(v, threshold_mV);
    for (std::size_t p = 0; p < above_.size(); ++p) {
      if (now_[p] == above_[p]) continue;
      for (unsigned risen = now_[p] & ~above_[p] & used_[p]; risen != 0; risen &= risen - 1) {
        const std::size_t cell = p * lanes_ + static_cast<std::size_t>(std::countr_zero(risen));
        crossed(cell, at_[cell]);
      }
      above_[p] = now_[p];
    }
  }

  /// Whether a cell was above when last tested.
  bool is_above(std::size_t cell) const {
    return !at_.empty() && (above_[cell / lanes_] >> cell % lanes_ & 1) != 0;
  }
  /// Saves or restores which cells are above, one number a cell.
  void walk(StateWalk& state);
  std::size_t bytes() const;

 private:
  void find_above(const double* v, double threshold_mV);

  const solver::SweepKernels* sweep_ = nullptr;
  std::size_t lanes_ = 1, cells_ = 0;
  std::vector<std::uint32_t> at_;    ///< [cell] where its voltage is; empty: no detectors
  std::vector<std::uint32_t> rows_;  ///< [pack] that of all its lanes; empty: they have their own
  /// [pack] bit l of lane l: whether it is above; in this test; whether a cell has the lane.
  std::vector<std::uint8_t> above_, now_, used_;
};

}  // namespace hillock::simulator::cpu
