#pragma once
// Runs a contraction schedule on the host by the function that the kernels call. The test of a
// schedule and of that function that needs no GPU. Not fast.

#include <cstddef>
#include <span>
#include <vector>

#include "solver/contraction/schedule.hpp"
#include "solver/contraction/team_solve.hpp"

namespace hillock::solver {
namespace contraction {

/// A schedule's tables in host memory; they live as long as the schedule.
inline Tables tables_of(const ContractionSchedule& s) {
  return {s.step_start.data(),  s.node.data(),   s.a.data(),         s.b.data(),
          s.give_a.data(),      s.give_b.data(), s.give_edge.data(), s.inbox_start.data(),
          s.coupling_of.data(), s.task_count(),  s.steps(),          s.entry_count};
}

/// A cell whose values lie in the tree's own order, with scratch of its own.
template <class Real>
class HostCell {
 public:
  HostCell(const ContractionSchedule& schedule, std::span<const Real> coupling,
           std::span<const Real> diagonal, std::span<Real> rhs)
      : coupling_(coupling),
        diagonal_(diagonal),
        rhs_(rhs),
        inbox_(static_cast<std::size_t>(schedule.entry_count)),
        edges_(schedule.node.size()),
        factors_(schedule.node.size()) {}

  Real diagonal(int node) const { return diagonal_[static_cast<std::size_t>(node)]; }
  Real coupling(int node) const { return coupling_[static_cast<std::size_t>(node)]; }
  Real& x(int node) { return rhs_[static_cast<std::size_t>(node)]; }
  Pair<Real>& inbox(int entry) { return inbox_[static_cast<std::size_t>(entry)]; }
  Pair<Real>& edges(int task) { return edges_[static_cast<std::size_t>(task)]; }
  Real& edge(int slot) { return slot % 2 == 0 ? edges(slot / 2).x : edges(slot / 2).y; }
  Pair<Real>& factors(int task) { return factors_[static_cast<std::size_t>(task)]; }

 private:
  std::span<const Real> coupling_, diagonal_;
  std::span<Real> rhs_;
  std::vector<Pair<Real>> inbox_, edges_, factors_;
};

}  // namespace contraction

/// Solves one system in place (the matrix is solver/hines.hpp's).
/// coupling: [n] to the parent, [0] unused.   diagonal: [n].   rhs: [n] in, the solution out.
/// A pivot of 0 gives values that are not finite. Cost O(n). Deterministic.
/// The kernels differ by round-off: they use fused multiply-adds and their own reciprocal.
template <class Real>
void contraction_solve(const ContractionSchedule& schedule, std::span<const Real> coupling,
                       std::span<const Real> diagonal, std::span<Real> rhs) {
  const contraction::Tables tables = contraction::tables_of(schedule);
  contraction::HostCell<Real> cell(schedule, coupling, diagonal, rhs);
  contraction::place_couplings(TeamOfOne{}, tables, cell);
  contraction::solve<Real>(TeamOfOne{}, tables, cell);
}

}  // namespace hillock::solver
