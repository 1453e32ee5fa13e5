#pragma once
// The arithmetic of solving one tridiagonal system with several lanes, without a loop over lanes:
// the warp kernel and the host executor run these same functions.
//
// Lane k owns m consecutive rows. Elimination down and then up within the lane leaves every row as
//   x[i] = value[i] - left[i]·x(last row of lane k-1) - right[i]·x(last row of lane k),
// so the last rows alone form a tridiagonal system with one unknown a lane, which parallel cyclic
// reduction solves in log2(lanes) steps; then each lane fills in its rows.
// Every number is read once and every solution written once.
// Sources: Wang 1981, ACM TOMS 7:170 (partitions); Hockney and Jesshope 1981 (cyclic reduction).

#include "solver/arithmetic.hpp"

namespace hillock::solver::thomas {

/// One divided by x. On the device an approximation with two Newton steps (float: none), within 2
/// units in the last place for normal numbers whose reciprocal is normal; on the host, division.
/// Not solver::reciprocal(): sweeps over systems of different lengths took 3 to 6 % longer with it.
template <class Real>
HILLOCK_SOLVER_FUNCTION Real newton_reciprocal(Real x) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Real) == 8) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    double e = fma(-x, r, 1.0);
    r = fma(r, e, r);
    e = fma(-x, r, 1.0);
    return fma(r, e, r);
  }
#endif
  return quick_reciprocal(x);
}

/// x(here) = value - left·x(one to the left) - right·x(one to the right).
template <class Real>
struct Link {
  Real left, right, value;
};

/// The link of a lane that is not there.
template <class Real>
HILLOCK_SOLVER_FUNCTION Link<Real> no_link() {
  return {Real(0), Real(0), Real(0)};
}

/// One lane's m rows, m at least 2.
template <class Real, int m>
struct Chunk {
  Real left[m], right[m], value[m];

  /// Elimination downwards; row(i, lower, diagonal, upper, rhs) fills in row i of the lane. Rows
  /// after the system's last must be the identity with rhs 0; the last row's upper must be 0.
  template <class Row>
  HILLOCK_SOLVER_FUNCTION void eliminate_down(const Row& row) {
    Real a, d, c, b;
    row(0, a, d, c, b);
    Real q = newton_reciprocal(d);
    left[0] = a * q;
    right[0] = c * q;
    value[0] = b * q;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 1; i < m; ++i) {
      row(i, a, d, c, b);
      q = newton_reciprocal(d - a * right[i - 1]);
      left[i] = -(a * left[i - 1]) * q;
      right[i] = c * q;
      value[i] = (b - a * value[i - 1]) * q;
    }
  }

  /// Elimination upwards, after which rows 0 … m-2 depend on the two last rows alone.
  HILLOCK_SOLVER_FUNCTION void eliminate_up() {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = m - 3; i >= 0; --i) {
      value[i] -= right[i] * value[i + 1];
      left[i] -= right[i] * left[i + 1];
      right[i] = -(right[i] * right[i + 1]);
    }
  }

  HILLOCK_SOLVER_FUNCTION Link<Real> first() const {
    return {left[0], right[0], value[0]};
  }

  /// The link of this lane's last row to the neighbours' last rows; next: first() of lane k+1.
  HILLOCK_SOLVER_FUNCTION Link<Real> between_last_rows(const Link<Real>& next) const {
    const Real a = left[m - 1], c = right[m - 1];
    const Real q = newton_reciprocal(Real(1) - c * next.left);
    return {a * q, -(c * next.right) * q, (value[m - 1] - c * next.value) * q};
  }

  /// x of row i < m-1, given the last rows of lane k-1 and of this lane.
  HILLOCK_SOLVER_FUNCTION Real solution(int i, Real before, Real last) const {
    return value[i] - left[i] * before - right[i] * last;
  }
};

/// One step of parallel cyclic reduction: `here` linked to lanes k-h and k+h becomes linked to
/// k-2h and k+2h. low, high: the links of k-h and k+h, no_link() where there is none.
template <class Real>
HILLOCK_SOLVER_FUNCTION Link<Real> reduce(const Link<Real>& here, const Link<Real>& low,
                                          const Link<Real>& high) {
  const Real q = newton_reciprocal(Real(1) - here.left * low.right - here.right * high.left);
  return {-(here.left * low.left) * q, -(here.right * high.right) * q,
          (here.value - here.left * low.value - here.right * high.value) * q};
}

}  // namespace hillock::solver::thomas
