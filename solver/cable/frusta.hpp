#pragma once
// Membrane area and axial resistance of pieces of a branch, integrated over its frusta.

#include <vector>

#include "models/morphology.hpp"

namespace hillock::solver {

/// One of the equal pieces a branch is cut into.
struct Piece {
  double area_um2 = 0;
  double diameter_um = 0;  ///< its mean over the piece's length
  /// ∫ dx / (π d²/4) from the piece's 0 end to its centre, and from there to its 1 end, 1/um.
  double resistance_left = 0;
  double resistance_right = 0;
};

/// Integrates `count` equal pieces. A frustum's axial integral is 4·L / (π·d0·d1), its area
/// π·(d0+d1)/2·sqrt(L² + ((d1-d0)/2)²); pieces end inside frusta, where the diameter is linear.
std::vector<Piece> integrate_pieces(const models::Branch& branch, int count);

}  // namespace hillock::solver
