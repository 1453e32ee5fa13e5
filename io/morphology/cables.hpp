#pragma once
// Cables without names, as a file's reader makes them, and the morphology that becomes of them.
// Not here: which cables a file means (io/swc, io/asc).

#include <vector>

#include "models/morphology.hpp"

namespace hillock::io {

/// SWC's types, which stand for those of other files, too. Every number from 5 on, and 0, is a tag
/// without a fixed meaning.
inline constexpr int soma_type = 1;
inline constexpr int axon_type = 2;
inline constexpr int dendrite_type = 3;
inline constexpr int apical_type = 4;

/// A branch before it has a name.
struct Cable {
  int type = 0;
  int parent = -1;  ///< index of an earlier cable; -1 for the root, which is cable 0
  double at = 1;    ///< where on the parent
  std::vector<models::Point> points;
  int line = 0;  ///< of its first own point
};

/// How often something was met and where first: one warning tells of all.
struct Sightings {
  int count = 0;
  int first_line = 0;

  void add(int line) {
    if (count++ == 0 || line < first_line) first_line = line;
  }
};

/// Sum of the distances between points, um.
double length_um(const std::vector<models::Point>& points);

/// Takes the marked cables away. Their children join what the cable joined, where it joined it; the
/// first child of a root taken away becomes the root and its siblings join its 0 end.
std::vector<Cable> without(std::vector<Cable> cables, const std::vector<bool>& taken);

/// Cables in NEURON's order of sections, by type and then as they came, except that a cable waits
/// for its parent; named by region and number, "dend[3]", and a soma of one cable just "soma".
models::Morphology name_branches(std::vector<Cable> cables);

}  // namespace hillock::io
