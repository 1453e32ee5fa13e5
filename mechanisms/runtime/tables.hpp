#pragma once
// FUNCTION_TABLEs in emitted evaluators: values on a grid, linear between its points, constant
// beyond its ends. Lanes look up one after the other. Included by runtime.hpp.

#include "mechanisms/info.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// The points of one argument: `points`, or where it is null evenly spaced from first to last.
struct GridAxis {
  int count;
  double first, last;
  const double* points;
};

/// values: the last argument's index moves fastest.
template <int n>
struct Grid {
  const double* values;
  GridAxis axes[n];
};

/// Where a number is on an axis: the point below it, how far it is to the next (0 to 1), and how
/// fast that grows with the argument: 0 beyond the ends. At a point, the interval above counts.
struct GridCoordinate {
  int lower;
  double fraction, slope;
};

HILLOCK_FUNCTION GridCoordinate coordinate_on(const GridAxis& axis, double x) {
  if (axis.count == 1 || x < axis.first) return {0, 0.0, 0.0};
  if (x >= axis.last) return {axis.count - 2, 1.0, 0.0};
  if (axis.points == nullptr) {
    const double per_unit = (axis.count - 1) / (axis.last - axis.first);
    const double along = (x - axis.first) * per_unit;
    int lower = along > 0.0 ? static_cast<int>(along) : 0;  // NaN is no index
    if (lower > axis.count - 2) lower = axis.count - 2;
    return {lower, along - lower, per_unit};
  }
  int lower = 0, upper = axis.count - 1;
  while (upper - lower > 1) {
    const int middle = (lower + upper) / 2;
    (axis.points[middle] <= x ? lower : upper) = middle;
  }
  const double width = axis.points[lower + 1] - axis.points[lower];
  return {lower, (x - axis.points[lower]) / width, 1.0 / width};
}

/// The sum over the corners around a point; `along`: an argument to differentiate by, -1 for none.
template <int n>
HILLOCK_FUNCTION double on_grid(const Grid<n>& grid, const double (&u)[n], int along) {
  GridCoordinate at[n];
  for (int k = 0; k < n; ++k) at[k] = coordinate_on(grid.axes[k], u[k]);
  double sum = 0.0;
  for (int corner = 0; corner < 1 << n; ++corner) {
    double weight = 1.0;
    int index = 0;
    bool exists = true;
    for (int k = 0; k < n; ++k) {
      const int upper = corner >> k & 1;
      const GridCoordinate& here = at[k];
      exists = exists && (upper == 0 || grid.axes[k].count > 1);
      if (k == along)
        weight *= upper != 0 ? here.slope : -here.slope;
      else
        weight *= upper != 0 ? here.fraction : 1.0 - here.fraction;
      index = index * grid.axes[k].count + here.lower + upper;
    }
    if (exists) sum += weight * grid.values[index];
  }
  return sum;
}

template <int n, class V>
HILLOCK_FUNCTION V on_grid_lanewise(const Grid<n>& grid, const V (&u)[n], int along) {
  if constexpr (sizeof(V) == sizeof(double)) {
    return on_grid(grid, u, along);
  } else {
    V result = V{};
    for (int lane = 0; lane < static_cast<int>(sizeof(V) / sizeof(double)); ++lane) {
      double one[n];
      for (int k = 0; k < n; ++k) one[k] = u[k][lane];
      result[lane] = on_grid(grid, one, along);
    }
    return result;
  }
}

template <class V, int n>
HILLOCK_FUNCTION V table_value(const Grid<n>& grid, const V (&u)[n]) {
  return on_grid_lanewise(grid, u, -1);
}

/// The derivative with respect to one argument.
template <class V, int n>
HILLOCK_FUNCTION V table_slope(const Grid<n>& grid, int argument, const V (&u)[n]) {
  return on_grid_lanewise(grid, u, argument);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
