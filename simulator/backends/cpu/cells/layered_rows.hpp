#pragma once
// What rows have besides when extracellular layers lie around the cells of a group.

#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::simulator::cpu {

/// Arrays are [row][lane]. Potentials of layers lie behind the voltages of a group, an array a
/// layer.
class LayeredRows {
 public:
  /// group: must outlive this. All layers may be none: then the rest is not to be called.
  LayeredRows(const GroupLayout& group, double implicit_dt_ms);

  bool are_there() const { return group_.layers.count() > 0; }
  /// Potentials of layers begin there in an array of voltages, and end.
  std::size_t begin() const { return size_ + group_.width(); }
  std::size_t end() const { return begin() + group_.layers.count() * size_; }

  /// [row][lane] of what never changes: sums of an unknown's couplings, and of a layer its diagonal
  /// and what ties it to the next one.
  const LaneArray& inside_uS() const { return inside_uS_; }
  const LaneArray& diagonal(std::size_t layer) const { return diagonal_[layer]; }
  const LaneArray& across(std::size_t layer) const { return across_[layer]; }

  /// What electrodes and potentials elsewhere give to a step begins at nothing.
  void clear();
  /// From ground, not through the membrane: what the inside gets, nA, less what it conducts, uS.
  LaneArray& electrode_nA() { return electrode_nA_; }
  LaneArray& electrode_uS() { return electrode_uS_; }
  const LaneArray& electrode_uS() const { return electrode_uS_; }
  /// What flows into the outermost layer.
  LaneArray& ground_nA() { return ground_nA_; }
  /// Potentials inside: voltages and what the first layer has.
  LaneArray& inside_of(const LaneArray& v);

  /// v: before the step. membrane_uS, x: the rows without their couplings. x becomes the solution.
  void solve(const solver::SweepKernels& sweep, LaneArray& v, const LaneArray& membrane_uS,
             LaneArray& x);

  /// Of a group of one cell.
  begin::BegunLayers begun() const;
  std::size_t bytes() const;

 private:
  const GroupLayout& group_;
  std::size_t size_;
  LaneArray inside_uS_;              ///< sums of couplings
  std::vector<LaneArray> diagonal_;  ///< [layer]
  std::vector<LaneArray> across_, charge_;
  LaneArray electrode_nA_, electrode_uS_, ground_nA_, inside_;
};

}  // namespace hillock::simulator::cpu
