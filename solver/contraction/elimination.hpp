#pragma once
// The arithmetic of contraction, once for host and device: what one task of a schedule computes. No
// loop, no layout. Who runs the tasks of a tree: team_solve.hpp, and the register kernel.

#include "solver/arithmetic.hpp"

namespace hillock::solver::contraction {

/// What a neighbour that went before gave comes off a task's diagonal d and onto its right-hand
/// side b. In the order of the inbox: the schedule's order is the order of the sum.
template <class Real>
HILLOCK_SOLVER_FUNCTION void take(Pair<Real> entry, Real& d, Real& b) {
  d -= entry.x;
  b += entry.y;
}

/// What a fold, whose d and b began as 0, gives in place of its entries.
template <class Real>
HILLOCK_SOLVER_FUNCTION Pair<Real> fold(Real d, Real b) {
  return {-d, b};
}

/// A row whose node goes: its couplings e to the neighbours a and b that it then has (0 for none),
/// its right-hand side and the reciprocal of its diagonal. Each part is worked out where it is
/// asked for.
template <class Real>
struct Pivot {
  Pair<Real> e;
  Real rhs, q;

  HILLOCK_SOLVER_FUNCTION Pivot(Pair<Real> couplings, Real d, Real b)
      : e(couplings), rhs(b), q(reciprocal(d)) {}

  /// Entries of the inboxes of a and b.
  HILLOCK_SOLVER_FUNCTION Pair<Real> to_a() const { return {e.x * e.x * q, e.x * rhs * q}; }
  HILLOCK_SOLVER_FUNCTION Pair<Real> to_b() const { return {e.y * e.y * q, e.y * rhs * q}; }
  /// The coupling that a and b have from now on.
  HILLOCK_SOLVER_FUNCTION Real between() const { return e.x * e.y * q; }
  /// x = alone + factors.x·x[a] + factors.y·x[b].
  HILLOCK_SOLVER_FUNCTION Pair<Real> factors() const { return {e.x * q, e.y * q}; }
  HILLOCK_SOLVER_FUNCTION Real alone() const { return rhs * q; }
};

/// One neighbour's part of a solution; a before b.
template <class Real>
HILLOCK_SOLVER_FUNCTION Real substitute(Real x, Real factor, Real neighbour) {
  return x + factor * neighbour;
}

}  // namespace hillock::solver::contraction
