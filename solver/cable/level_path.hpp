#pragma once
// Cells of one random tree, put together from the branches of one path through its levels.

#include <memory>
#include <vector>

#include "models/morphology.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::solver {

/// The tree with the soma and one branch a level, each at the end of the one before, down to level
/// `deepest`; -1: the soma alone. What lies between the soma and a node is the same here and in
/// every tree, so a node has here all that it has there, to the last bit.
models::TreeOutline level_path(int deepest);

/// The cell of that outline. path: level_path() of at least its depth, discretised; branches must
/// differ in nothing that their names tell. names: of as many branches as it has, or more.
Template compose(const Template& path, const models::TreeOutline& outline,
                 std::shared_ptr<const std::vector<BranchName>> names);

}  // namespace hillock::solver
