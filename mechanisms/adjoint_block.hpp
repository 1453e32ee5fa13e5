#pragma once
// What the loops of an adjoint (nmodl/lower/adjoint.hpp) are given: the instances of one cell.

#include <cstddef>

#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms {

/// By row: what a number is derived by, behind a solve of (C/dt + G) x = b.
struct AdjointRows {
  const double* by_rhs = nullptr;
  const double* past = nullptr;  ///< v - x
  double* by_v = nullptr;        ///< added to
  bool is_finite = true;         ///< false where what is added is not
};

/// Columns are as long as whole registers need, `end` is how many instances there are.
struct AdjointBlock : InstanceBlock {
  static constexpr std::size_t eight = 8;

  /// [column] where it is, and which bits of an instance's number count there: all, or none where
  /// one number, eight times, is that of all instances.
  double* const* places = nullptr;
  const std::size_t* masks = nullptr;
  /// Of a density mechanism that flows into rows, else null: _current and _conductance follow from
  /// these, and _voltage goes there.
  AdjointRows* rows = nullptr;
  const double* into_rows = nullptr;  ///< [instance] what makes its current that of its row
};

}  // namespace hillock::mechanisms
