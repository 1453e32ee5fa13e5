#pragma once
// A compartment while its cell is cut, and what values of regions are there.

#include <string>

#include "models/value.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::solver {

/// Or a whole branch taken as one.
struct CutPiece {
  const std::string& branch;  ///< empty for a value that is one in the whole cell
  const NodeLocation& location;
  double diameter_um = 0;
  models::PieceOfBranch piece{};
};

/// A value there, of that cell. Throws InvalidModel where it is outside its limits.
double value_for(const CutFor& of, const models::Value& value, const CutPiece& piece);

}  // namespace hillock::solver
