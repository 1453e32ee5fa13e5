#pragma once
// The lines through the points of a morphology's branches, and how thick they are along these.

#include <cstddef>
#include <vector>

#include "models/morphology.hpp"

namespace hillock::solver {

/// The spans between points are computed once. The morphology must live as long.
class CentreLines {
 public:
  explicit CentreLines(const models::Morphology& morphology);

  /// The point of a branch at an arc length.
  models::Point at(std::size_t b, double arc_um) const;
  /// A branch's diameter, averaged along it.
  double diameter_um(std::size_t b) const;
  /// Length over the AC length constant at 100 Hz, summed over frusta (Hines and Carnevale 2001).
  double electrotonic_length(std::size_t b, double Ra_ohm_cm, double cm_uF_per_cm2) const;

  std::vector<double> lengths_um;  ///< [branch]

 private:
  const models::Morphology& morphology_;
  std::vector<double> spans_um_;    ///< between points
  std::vector<double> ends_um_;     ///< how far along its branch each span ends
  std::vector<std::size_t> first_;  ///< [branch] its first span
};

}  // namespace hillock::solver
