#pragma once
// FUNCTION_TABLEs in emitted evaluators: values on a grid, linear between its points, constant
// beyond its ends. Lanes look up one after the other. Included by runtime.hpp.

#include "mechanisms/runtime/info.hpp"
#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// The points of one argument: `points`, or where it is null evenly spaced from first to last.
/// N: double, or float beside floats.
template <class N>
struct GridAxis {
  int count;
  N first, last;
  const N* points;
};

/// values: the last argument's index moves fastest.
template <int n, class N = double>
struct Grid {
  const N* values;
  GridAxis<N> axes[n];
};

/// Where a number is on an axis: the point below it, how far it is to the next (0 to 1), and how
/// fast that grows with the argument: 0 beyond the ends. At a point, the interval above counts.
template <class N>
struct GridCoordinate {
  int lower;
  N fraction, slope;
};

template <class N>
HILLOCK_FUNCTION GridCoordinate<N> coordinate_on(const GridAxis<N>& axis, N x) {
  if (axis.count == 1 || x < axis.first) return {0, N(0), N(0)};
  if (x >= axis.last) return {axis.count - 2, N(1), N(0)};
  if (axis.points == nullptr) {
    const N per_unit = N(axis.count - 1) / (axis.last - axis.first);
    const N along = (x - axis.first) * per_unit;
    int lower = along > N(0) ? static_cast<int>(along) : 0;  // NaN is no index
    if (lower > axis.count - 2) lower = axis.count - 2;
    return {lower, along - N(lower), per_unit};
  }
  int lower = 0, upper = axis.count - 1;
  while (upper - lower > 1) {
    const int middle = (lower + upper) / 2;
    (axis.points[middle] <= x ? lower : upper) = middle;
  }
  const N width = axis.points[lower + 1] - axis.points[lower];
  if (width == N(0)) return {lower, N(0), N(0)};  // two doubles that are one float
  return {lower, (x - axis.points[lower]) / width, N(1) / width};
}

/// The sum over the corners around a point; `along`: an argument to differentiate by, -1 for none.
template <int n, class N>
HILLOCK_FUNCTION N on_grid(const Grid<n, N>& grid, const N (&u)[n], int along) {
  GridCoordinate<N> at[n];
  for (int k = 0; k < n; ++k) at[k] = coordinate_on(grid.axes[k], u[k]);
  N sum = 0;
  for (int corner = 0; corner < 1 << n; ++corner) {
    N weight = 1;
    int index = 0;
    bool exists = true;
    for (int k = 0; k < n; ++k) {
      const int upper = corner >> k & 1;
      const GridCoordinate<N>& here = at[k];
      exists = exists && (upper == 0 || grid.axes[k].count > 1);
      if (k == along)
        weight *= upper != 0 ? here.slope : -here.slope;
      else
        weight *= upper != 0 ? here.fraction : N(1) - here.fraction;
      index = index * grid.axes[k].count + here.lower + upper;
    }
    if (exists) sum += weight * grid.values[index];
  }
  return sum;
}

template <int n, class V>
HILLOCK_FUNCTION V on_grid_lanewise(const Grid<n, Number<V>>& grid, const V (&u)[n], int along) {
  if constexpr (is_one_number<V>) {
    return on_grid(grid, u, along);
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane) {
      Number<V> one[n];
      for (int k = 0; k < n; ++k) one[k] = u[k][lane];
      result[lane] = on_grid(grid, one, along);
    }
    return result;
  }
}

template <class V, int n>
HILLOCK_FUNCTION V table_value(const Grid<n, Number<V>>& grid, const V (&u)[n]) {
  return on_grid_lanewise(grid, u, -1);
}

/// The derivative with respect to one argument.
template <class V, int n>
HILLOCK_FUNCTION V table_slope(const Grid<n, Number<V>>& grid, int argument, const V (&u)[n]) {
  return on_grid_lanewise(grid, u, argument);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
