#pragma once
// The rows of a group's matrix: what never changes of them, which pivots do, a step's solve.

#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/cells/layered_rows.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/threads/gang.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::simulator::cpu {

/// (C/dt + G) v' = C/dt v + g v - i. Arrays are [row][lane]; those that instances add to have a row
/// more than there are nodes: instances that only fill a lane sit on it. Where there are layers, v
/// and x go on with theirs, and what cables conduct is no part of the diagonal.
class CellRows {
 public:
  /// group: must outlive this, and knows its nodes while this is made. implicit_dt_ms: from where a
  /// step begins to where its solve leads.
  CellRows(GroupLayout& group, double implicit_dt_ms);
  CellRows(CellRows&&) = delete;
  CellRows& operator=(CellRows&&) = delete;
  ~CellRows() = default;

  /// Before the first step, once: [row] whether a mechanism there changes.
  void find_changing(std::vector<char> changes);
  /// Threads share the rows: part p has rows borders[p] to borders[p + 1] of what is done row by
  /// row, and of the solve what the group's layout gives it.
  void share(std::span<const std::size_t> borders);
  /// When what never changes was added to v = 0's x, diagonal and source.
  void keep_constant();

  /// A step's diagonal and x as far as they do not depend on mechanisms that change.
  void begin() { sweep_.assemble(rows_, v_.data()); }
  void begin(std::size_t part) { sweep_.assemble(of_parts_[part], v_.data()); }
  /// Whether all voltages are finite: x becomes the solution. gang: of the threads that share the
  /// rows.
  bool solve(Gang* gang);
  /// The first cell whose solution is not.
  std::size_t spoiled_cell() const;
  /// Whether a row, assembled, spoils the solve.
  bool spoils(std::size_t row, std::size_t lane) const;
  /// x becomes v, and x what v was.
  void take_voltages();
  /// What flows into each row along the cable, nA, by inside(); adds: to what is there.
  void take_axial(double* inside, double* to, bool adds) const;
  /// Potentials inside the cells, by x.
  double* inside() { return layers_.are_there() ? layers_.inside_of(x_).data() : x_.data(); }
  LayeredRows& layers() { return layers_; }
  const LayeredRows& layers() const { return layers_; }

  std::size_t size() const { return capacity_.size(); }
  LaneArray& v() { return v_; }
  const LaneArray& v() const { return v_; }
  LaneArray& x() { return x_; }
  const LaneArray& x() const { return x_; }
  double* diagonal() { return diagonal_.data(); }
  const double* diagonal() const { return diagonal_.data(); }
  double* source() { return source_.data(); }
  /// When they are solved: 1 / pivot of a row.
  double reciprocal(std::size_t row, std::size_t lane) const {
    const std::size_t at = row * lanes_ + lane;
    return row < group_.packs ? 1 / diagonal_[at] : factor_[at] / group_.coupling_uS[at];
  }

  const LaneArray& capacity_uS() const { return capacity_; }
  const LaneArray& source_nA() const { return source_; }
  const LaneArray& factor() const { return factor_; }
  /// What never changes of a diagonal; of pivots that do not, 1 / pivot.
  LaneArray constant() const;
  /// [row] whether its pivot does.
  std::vector<char> changes() const;

  std::size_t bytes() const;

 private:
  std::size_t parent_of(std::size_t row) const {
    return static_cast<std::size_t>(group_.parent[row]);
  }
  void make_constant(double implicit_dt_ms);

  GroupLayout& group_;
  std::size_t lanes_;
  const solver::SweepKernels& sweep_;
  LayeredRows layers_;
  solver::LaneRows rows_;  ///< the arrays below, as the sweeps take them
  LaneArray v_, x_, diagonal_, source_;
  LaneArray capacity_, factor_;
  LaneArray constant_diagonal_;  ///< of rows that change
  std::vector<solver::RowRun> runs_;
  std::vector<solver::RowRun> pieces_;  ///< of runs_, in one lane
  std::vector<solver::LaneRows> of_parts_;
  std::vector<std::vector<solver::RowRun>> runs_of_parts_;  ///< what these have, and the trunk's
};

}  // namespace hillock::simulator::cpu
