#pragma once
// Runs a contraction schedule on the host, task by task as the kernels do. The test of a schedule
// that needs no GPU, and the reference of the kernels. Not fast.

#include <cstddef>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "solver/contraction/schedule.hpp"

namespace hillock::solver {

/// Solves one system in place (the matrix is solver/hines.hpp's).
/// coupling: [n] to the parent, [0] unused.   diagonal: [n].   rhs: [n] in, the solution out.
/// A pivot of 0 gives values that are not finite. Cost O(n). Deterministic.
/// The kernels differ by round-off: they use fused multiply-adds and their own reciprocal.
template <class Real>
void contraction_solve(const ContractionSchedule& schedule, std::span<const Real> coupling,
                       std::span<const Real> diagonal, std::span<Real> rhs) {
  const std::size_t tasks = schedule.node.size();
  struct Entry {
    Real d = 0, b = 0;
  };
  std::vector<Entry> inbox(at(schedule.entry_count));
  std::vector<Real> edge(2 * tasks), from_b(tasks), from_a(tasks), alone(tasks);
  for (std::size_t slot = 0; slot < edge.size(); ++slot)
    if (schedule.coupling_of[slot] >= 0) edge[slot] = coupling[at(schedule.coupling_of[slot])];

  for (std::size_t t = 0; t < tasks; ++t) {  // tasks stand in the order of their steps
    const int node = schedule.node[t];
    Real d = node < 0 ? 0 : diagonal[at(node)], b = node < 0 ? 0 : rhs[at(node)];
    for (int e = schedule.inbox_start[t]; e < schedule.inbox_start[t + 1]; ++e) {
      d -= inbox[at(e)].d;
      b += inbox[at(e)].b;
    }
    if (node < 0) {
      inbox[at(schedule.give_a[t])] = {-d, b};
      continue;
    }
    const Real q = 1 / d, e0 = edge[2 * t], e1 = edge[2 * t + 1];
    if (schedule.give_a[t] >= 0) inbox[at(schedule.give_a[t])] = {e0 * e0 * q, e0 * b * q};
    if (schedule.give_b[t] >= 0) inbox[at(schedule.give_b[t])] = {e1 * e1 * q, e1 * b * q};
    if (schedule.give_edge[t] >= 0) edge[at(schedule.give_edge[t])] = e0 * e1 * q;
    from_a[t] = e0 * q;
    from_b[t] = e1 * q;
    alone[t] = b * q;
  }
  for (std::size_t t = tasks; t-- > 0;) {
    if (schedule.node[t] < 0) continue;
    Real v = alone[t];
    if (schedule.a[t] >= 0) v += from_a[t] * rhs[at(schedule.a[t])];
    if (schedule.b[t] >= 0) v += from_b[t] * rhs[at(schedule.b[t])];
    rhs[at(schedule.node[t])] = v;
  }
}

}  // namespace hillock::solver
