#pragma once
// What a current through membrane does to the potential outside: of a cell's nodes the sources, and
// of a source the potential at contacts.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "models/morphology.hpp"
#include "models/potential.hpp"
#include "solver/cable/compartments.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver {

using Vector3 = std::array<double, 3>;

/// A straight piece of a cell whose membrane current leaves it evenly along its length.
struct CurrentSource {
  Vector3 begin_um{}, end_um{};  ///< equal: a point
  double radius_um = 0;          ///< nearer to it a contact counts as being so far away
  bool is_soma = false;
  Vector3 middle_um{};  ///< on the branch, which may bend
};

/// In the middle of the first branch of the soma or, without one, the root's 0 end.
Vector3 middle_of_soma(const models::Morphology& morphology);

/// Of some of a cell's nodes, where its points have them. An end of a branch is a point. The
/// morphology is the one that the cell was cut from.
std::vector<CurrentSource> sources_of(const models::Morphology& morphology, const Template& cell,
                                      std::span<const NodeId> nodes);

/// The potential at contacts per current of a source, mV/nA. Sources and contacts are points or
/// lines in a homogeneous medium: 1/(4 pi sigma r), averaged along the source (Holt and Koch 1999)
/// and over the contact. A contact in a source is moved to its surface, as LFPykit does: lines in
/// an isotropic medium are no nearer than their radius (or what the model says) at a right angle,
/// all others than that from the nearest point. A plane adds a mirror image (Ness et al. 2015).
class PotentialMap {
 public:
  explicit PotentialMap(models::Potential potential);

  /// [contact] of one source.
  std::vector<double> of(const CurrentSource& source) const;
  /// Those of a cell's sources, as a product takes them (products.hpp).
  void append(std::span<const CurrentSource> sources, PotentialArray& to) const;
  /// Whether a source reaches beyond the plane, seen from the contacts.
  bool is_beyond_plane(const CurrentSource& source) const;
  /// The points over which a contact's potential is averaged, all alike.
  std::span<const Vector3> points_of(std::size_t contact) const;

 private:
  double at(const CurrentSource& source, const Vector3& point) const;
  double in_whole_space(const CurrentSource& source, const Vector3& point) const;

  models::Potential potential_;
  bool is_isotropic_ = true;
  Vector3 weights_{};  ///< 4 pi times: a distance times these is one over a potential
  std::vector<Vector3> points_;
  std::vector<std::size_t> first_;  ///< [contact] of its points, and behind the last one's
  double mirrored_ = 0;             ///< how much a source's image counts
  double side_ = 0;                 ///< of the plane: its sign the contacts', 0: they are on it
};

}  // namespace hillock::solver
