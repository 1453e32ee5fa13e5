#pragma once
// The arithmetic of one Hines system, once for host and device: no loop over systems, no layout.

#include <cstddef>
#include <cstdint>

#include "solver/arithmetic.hpp"
#include "solver/batches/hines_batch/stack_order.hpp"

namespace hillock::solver::hines {

/// The paper's walk: every access to the parent goes through memory.
/// diagonal, coupling: element i at [i·stride]; rhs: at [i·rhs_stride], the solution out.
/// parent_of(i) for 0 < i < rows. The diagonal is destroyed, the coupling kept.
/// Source: Martínez Pérez 2018, pseudocode of cuHinesBatch, after Hines 1984.
template <class T, class ParentOf>
HILLOCK_SOLVER_FUNCTION void solve_by_parents(T* diagonal, const T* coupling, std::size_t stride,
                                              T* rhs, std::size_t rhs_stride, int rows,
                                              ParentOf parent_of) {
  for (int i = rows - 1; i > 0; --i) {
    const std::size_t own = static_cast<std::size_t>(i);
    const std::size_t up = static_cast<std::size_t>(parent_of(i));
    const T a = coupling[own * stride];
    const T factor = a / diagonal[own * stride];
    diagonal[up * stride] -= factor * a;
    rhs[up * rhs_stride] += factor * rhs[own * rhs_stride];
  }
  if (rows > 0) rhs[0] /= diagonal[0];
  for (int i = 1; i < rows; ++i) {
    const std::size_t own = static_cast<std::size_t>(i);
    const std::size_t up = static_cast<std::size_t>(parent_of(i));
    rhs[own * rhs_stride] =
        (rhs[own * rhs_stride] + coupling[own * stride] * rhs[up * rhs_stride]) /
        diagonal[own * stride];
  }
}

template <class T>
HILLOCK_SOLVER_FUNCTION T multiply_add(T a, T b, T c) {
#ifdef __CUDA_ARCH__
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// A diagonal and a right-hand side that wait on the stack for their branching row.
template <class T>
struct alignas(2 * sizeof(T)) Waiting {
  T diagonal = 0;
  T rhs = 0;
};

/// Added to anything it changes no bit, a zero's sign included.
template <class T>
inline constexpr Waiting<T> nothing{T(-0.0), T(-0.0)};

/// What a row in stack order hands to the row above it: -square·inverse + waiting.diagonal for its
/// diagonal, factor·rhs + waiting.rhs for its right-hand side. Kept as products, so that from one
/// pivot to the next there is one reciprocal and one fused sum and no choice.
template <class T>
struct Carry {
  T square = 0, inverse = 0;
  T factor = 0, rhs = 0;
  Waiting<T> waiting = nothing<T>;
  Waiting<T> top;  ///< of the stack; what lies below is in memory
};

/// Neither an only nor a first child: between or closes, one bit.
HILLOCK_SOLVER_FUNCTION bool waits_for_parent(Step step) {
  return (static_cast<std::uint32_t>(step) & 2u) != 0;
}

/// One row of the upward walk. diagonal: d in, the factor f = a/d' out; rhs: b in, y = b'/d' out;
/// then x[row] = y + f·x[parent]. Stack: push(), and pop() to a Waiting<T>.
template <class T, class Stack>
HILLOCK_SOLVER_FUNCTION void climb(Step step, T coupling, T& diagonal, T& rhs, Carry<T>& carry,
                                   Stack& stack) {
  const T d = multiply_add(-carry.square, carry.inverse, diagonal + carry.waiting.diagonal);
  const T b = multiply_add(carry.factor, carry.rhs, rhs + carry.waiting.rhs);
  const T square = coupling * coupling;
  const T inverse = quick_reciprocal(d);
  const T factor = coupling * inverse;
  diagonal = factor;
  rhs = b * inverse;

  const bool opens = step == Step::opens;
  const bool waits = waits_for_parent(step);
  carry.square = waits ? T(0) : square;
  carry.inverse = inverse;
  carry.factor = waits ? T(0) : factor;
  carry.rhs = b;
  carry.waiting = opens ? carry.top : nothing<T>;
  if (step == Step::closes) {
    stack.push(carry.top);
    carry.top = Waiting<T>{};
  }
  if (waits) {
    carry.top.diagonal = multiply_add(-square, inverse, carry.top.diagonal);
    carry.top.rhs = multiply_add(factor, b, carry.top.rhs);
  }
  if (opens) carry.top = stack.pop();
}

/// The downward walk's state.
template <class T>
struct Descent {
  T last = 0;  ///< x of the row before
  T top = 0;   ///< of the stack
};

/// One row of the downward walk: its x. Stack: push_value(), and pop_value() to a T.
template <class T, class Stack>
HILLOCK_SOLVER_FUNCTION T descend(Step step, T factor, T y, Descent<T>& descent, Stack& stack) {
  const bool waited = waits_for_parent(step);
  const T x = multiply_add(factor, waited ? descent.top : descent.last, y);
  if (step == Step::opens) {
    stack.push_value(descent.top);
    descent.top = descent.last;
  }
  if (step == Step::closes) descent.top = stack.pop_value();
  descent.last = x;
  return x;
}

/// Rows that a stream reads and works on together; groups have a multiple of them.
inline constexpr int rows_of_quad = 4;

/// Rows whose steps share one word of 32 bits.
inline constexpr int rows_per_word = 16;

HILLOCK_SOLVER_FUNCTION Step step_in_word(std::uint32_t word, int row) {
  return static_cast<Step>((word >> (2 * row)) & 3u);
}

}  // namespace hillock::solver::hines
