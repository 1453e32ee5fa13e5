#pragma once
// The trees on which NeuroGPU's authors compared their two ways.

#include <vector>

namespace hillock::solver {

/// The paper's fork: a stem and two equal tines, `segments` in all (at least 3, else UsageError).
std::vector<int> make_fork(int segments);
/// The paper's binary tree: 2^depth compartments, a root over a complete tree of depth levels, 0 to
/// 24, else UsageError.
std::vector<int> make_binary_tree(int depth);

}  // namespace hillock::solver
