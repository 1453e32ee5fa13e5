#pragma once
// What currents through membranes come to outside cells, as a model asks for it.

#include <array>
#include <cstddef>
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

/// A sum over compartments of the current through their membrane times what one of them does: a
/// potential at contacts, in a medium that conducts alike everywhere, or a dipole moment, where it
/// is (its three numbers are along x, y and z, in nA um), whatever the medium.
struct Potential {
  enum class Quantity { at_contacts, dipole_moment };
  enum class Method {
    line,           ///< compartments are lines of sources (Holt and Koch 1999)
    soma_as_point,  ///< but those of somata
    point,          ///< compartments are points
  };
  Quantity quantity = Quantity::at_contacts;
  std::vector<Contact> contacts;
  std::array<double, 3> conductivity_S_per_m{};  ///< along x, y and z
  Method method = Method::line;
  /// From a source; unset: a compartment's radius.
  std::optional<double> minimum_distance_um;
  std::optional<ConductivityPlane> plane;

  bool is_dipole() const { return quantity == Quantity::dipole_moment; }
  /// How many numbers it is.
  std::size_t size() const { return is_dipole() ? 3 : contacts.size(); }
};

}  // namespace hillock::models
