#pragma once
// Checks the columns `branch` and `position` of a table, which say where on a cell a row belongs.

#include <string>

#include "io/model/context/cell_shape.hpp"

namespace hillock::io {

/// What is wrong with a branch's number; empty for nothing. shape: of the cell, or null where that
/// is not known.
std::string branch_problem(double branch, const CellShape* shape);

/// What is wrong with a position; empty for nothing.
std::string position_problem(double position);

}  // namespace hillock::io
