#pragma once
// The arithmetic of NeuroGPU's solve, once for host and device: one branch, one row. Loops over
// branches, rows and traces belong to the executors.

#include <cstddef>

#include "solver/arithmetic.hpp"

namespace hillock::solver::stone {

/// A schedule's tables where the code runs; see schedule.hpp.
struct View {
  int n = 0, n_levels = 0, rounds = 0;
  const int* parent_of_row = nullptr;
  const int* level_first = nullptr;
  const int* branch_first = nullptr;
  const int* branch_rows = nullptr;
  const int* child_first = nullptr;
  const int* active_first = nullptr;
  const std::size_t* ancestor_first = nullptr;
  const int* ancestor = nullptr;
};

/// Rows of a branch whose values are read before the first of them is written, so that the next
/// pivot waits for the last one and not for memory.
inline constexpr int rows_ahead = 8;

/// An entry of a table that nobody writes.
HILLOCK_SOLVER_FUNCTION int look_up(const int* entry) {
#ifdef __CUDA_ARCH__
  return __ldg(entry);
#else
  return *entry;
#endif
}

/// d becomes f = a/d', b becomes y = b'/d'; the carry is what the row below handed up, then what
/// this one does.
template <class T>
HILLOCK_SOLVER_FUNCTION void eliminate_row(T a, T& d, T& b, T& carry_diagonal, T& carry_rhs) {
  const T inverse = quick_reciprocal(d + carry_diagonal);
  const T rhs = b + carry_rhs;
  d = a * inverse;
  b = rhs * inverse;
  carry_diagonal = -(a * a) * inverse;
  carry_rhs = d * rhs;
}

/// Upward through one branch, its child branches done. factor: d in, f = a/d' out; y: b in, b'/d'
/// out. What a child hands up is found from its top row: f·a and a·y; children are added in order.
template <class T>
HILLOCK_SOLVER_FUNCTION void eliminate_branch(const View& view, int branch, T* factor,
                                              const T* coupling, T* y) {
  T carry_diagonal = 0, carry_rhs = 0;
  for (int child = view.child_first[branch]; child < view.child_first[branch + 1]; ++child) {
    const int top = look_up(view.branch_rows + view.branch_first[child]);
    carry_diagonal -= factor[top] * coupling[top];
    carry_rhs += coupling[top] * y[top];
  }
  const int begin = view.branch_first[branch];
  int last = view.branch_first[branch + 1] - 1;
  for (; last - rows_ahead + 1 >= begin; last -= rows_ahead) {
    int row[rows_ahead];
    T a[rows_ahead], d[rows_ahead], b[rows_ahead];
    for (int k = 0; k < rows_ahead; ++k) {
      row[k] = look_up(view.branch_rows + last - k);
      a[k] = coupling[row[k]];
      d[k] = factor[row[k]];
      b[k] = y[row[k]];
    }
    for (int k = 0; k < rows_ahead; ++k) {
      eliminate_row(a[k], d[k], b[k], carry_diagonal, carry_rhs);
      factor[row[k]] = d[k];
      y[row[k]] = b[k];
    }
  }
  for (; last >= begin; --last) {
    const int row = look_up(view.branch_rows + last);
    T d = factor[row], b = y[row];
    eliminate_row(coupling[row], d, b, carry_diagonal, carry_rhs);
    factor[row] = d;
    y[row] = b;
  }
}

/// Downward through one branch, its parent branch done: y becomes x.
template <class T>
HILLOCK_SOLVER_FUNCTION void substitute_branch(const View& view, int branch, const T* factor,
                                               T* y) {
  const int begin = view.branch_first[branch];
  const int above = view.parent_of_row[look_up(view.branch_rows + begin)];
  T x = above < 0 ? T(0) : y[above];
  const int end = view.branch_first[branch + 1];
  int next = begin;
  for (; next + rows_ahead <= end; next += rows_ahead) {
    int row[rows_ahead];
    T f[rows_ahead], own[rows_ahead];
    for (int k = 0; k < rows_ahead; ++k) {
      row[k] = look_up(view.branch_rows + next + k);
      f[k] = factor[row[k]];
      own[k] = y[row[k]];
    }
    for (int k = 0; k < rows_ahead; ++k) y[row[k]] = x = own[k] + f[k] * x;
  }
  for (; next < end; ++next) {
    const int row = look_up(view.branch_rows + next);
    y[row] = x = y[row] + factor[row] * x;
  }
}

/// A row's new factor and y of one round of the doubling; it is written after all who need the old
/// ones have read them.
template <class T>
struct Doubled {
  T factor, y;
};

template <class T>
HILLOCK_SOLVER_FUNCTION Doubled<T> double_reach(int row, int ancestor, const T* factor,
                                                const T* y) {
  const T f = factor[row];
  return {f * factor[ancestor], y[row] + f * y[ancestor]};
}

}  // namespace hillock::solver::stone
