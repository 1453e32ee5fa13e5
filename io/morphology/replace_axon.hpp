#pragma once
// A stub in place of a reconstructed axon.

#include <optional>
#include <string>

#include "models/morphology.hpp"

namespace hillock::io {

/// A short stub put in place of the axon.
struct ReplaceAxon {
  int branches = 2;
  double length_um = 30;  ///< of each
  /// Unset: those of the axon that is taken away. The stub's first branch has the mean diameter of
  /// the axon's first, the others that of its last.
  std::optional<double> diameter_um = 1;
  double at = 0.5;  ///< where on the soma
};

/// Takes all axon branches away and puts the stub on the soma. Returns why that cannot be, and then
/// changes nothing; else an empty text.
[[nodiscard]] std::string replace_axon(models::Morphology& morphology, const ReplaceAxon& stub);

}  // namespace hillock::io
