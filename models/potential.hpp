#pragma once
// Potentials outside cells, as a model asks for them.

#include <array>
#include <optional>
#include <vector>

namespace hillock::models {

/// A contact of an electrode: a point, or a disc over which the potential is averaged.
struct Contact {
  std::array<double, 3> at_um{};
  double radius_um = 0;                   ///< 0: a point
  std::array<double, 3> normal{0, 0, 1};  ///< of the disc, of length 1

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// What surrounds cells from a plane on: the glass below an array of electrodes, what lies above
/// the brain's surface.
struct ConductivityPlane {
  int axis = 2;  ///< on which it is perpendicular: 0 x, 1 y, 2 z
  double at_um = 0;
  double conductivity_S_per_m = 0;  ///< beyond it
};

/// A potential at contacts, of currents through membranes in a medium that conducts alike
/// everywhere.
struct Potential {
  enum class Method {
    line,           ///< compartments are lines of sources (Holt and Koch 1999)
    soma_as_point,  ///< but those of somata
    point,          ///< compartments are points
  };
  std::vector<Contact> contacts;
  std::array<double, 3> conductivity_S_per_m{};  ///< along x, y and z
  Method method = Method::line;
  /// From a source; unset: a compartment's radius.
  std::optional<double> minimum_distance_um;
  std::optional<ConductivityPlane> plane;
};

}  // namespace hillock::models
