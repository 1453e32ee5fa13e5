#pragma once
// Batches of tridiagonal systems on the CPU, and the host executor of the GPU's schedule.
// On the GPU: device.hpp.

#include <span>

#include "solver/batches/thomas/arrangement.hpp"
#include "solver/batches/thomas/choice.hpp"
#include "solver/batches/thomas/variable.hpp"

namespace hillock::solver {

// All solve in place. values: [storage] of the arrangement; lower and diagonal stay, upper is
// destroyed unless said otherwise, rhs becomes the solution. Real: float or double. All throw
// InvalidBatch when the buffer is not of the arrangement's size; none checks pivots: a pivot of 0
// gives values that are not finite. Deterministic: a system's result does not depend on the others,
// on the layout or on the number of threads.

/// One core, one system after the other: the reference.
template <class Real>
void solve_serial(const ThomasArrangement& arrangement, std::span<Real> values);
template <class Real>
void solve_serial(const ThomasVariableArrangement& arrangement, std::span<Real> values);

/// One system after the other on each core; `threads` 0: as many as OpenMP would take.
template <class Real>
void solve_openmp(const ThomasArrangement& arrangement, std::span<Real> values, int threads = 0);
template <class Real>
void solve_openmp(const ThomasVariableArrangement& arrangement, std::span<Real> values,
                  int threads = 0);

/// Eight systems in the lanes of one core where they lie side by side (every layout but flat, which
/// is solved as by solve_openmp), spread over the cores.
template <class Real>
void solve_simd(const ThomasArrangement& arrangement, std::span<Real> values, int threads = 0);

/// Runs the warp kernel's schedule lane by lane; the matrix stays as it was. For layouts flat and
/// compact. Throws UsageError for another layout or when a system has more rows than the split
/// can hold.
template <class Real>
void solve_split(const ThomasArrangement& arrangement, ThomasSplit split, std::span<Real> values);
template <class Real>
void solve_split(const ThomasVariableArrangement& arrangement, std::span<Real> values);

}  // namespace hillock::solver
