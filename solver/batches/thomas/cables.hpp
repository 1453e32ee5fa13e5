#pragma once
// A batch of unbranched trees as tridiagonal systems of their lengths. Solves nothing.

#include <span>
#include <vector>

#include "solver/batch.hpp"
#include "solver/batches/thomas/variable.hpp"

namespace hillock::solver {

/// The systems of a forest in slots. Throws InvalidBatch when a tree is branched.
ThomasVariableArrangement arrange(const Forest& forest, ThomasVariableLayout layout);

/// Flat to arranged, [storage]: row i is coupled to rows i-1 and i+1; padding becomes rows of the
/// identity. Throws InvalidBatch when the values are not the forest's.
template <class Real>
std::vector<Real> arrange(const Forest& forest, const ThomasVariableArrangement& arrangement,
                          const BatchValues<Real>& values);

/// The solution, flat again: [total].
template <class Real>
std::vector<Real> gather(const Forest& forest, const ThomasVariableArrangement& arrangement,
                         std::span<const Real> solved);

}  // namespace hillock::solver
