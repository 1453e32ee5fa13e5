#pragma once
// A stub in place of a reconstructed axon.

#include "models/morphology.hpp"

namespace hillock::io {

/// A short stub put in place of the axon.
struct ReplaceAxon {
  int branches = 2;
  double length_um = 30;  ///< of each
  double diameter_um = 1;
};

/// Takes all axon branches away and puts the stub on the soma. Throws InvalidModel without a place
/// where that cannot be.
void replace_axon(models::Morphology& morphology, const ReplaceAxon& stub);

}  // namespace hillock::io
