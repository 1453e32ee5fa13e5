#pragma once
// From samples to unnamed cables, one function for each soma rule. Not here: names and their order.

#include <string>
#include <vector>

#include "core/diagnostics.hpp"
#include "io/swc/swc_samples.hpp"
#include "models/morphology.hpp"

namespace hillock::io::swc {

/// A branch before it has a name.
struct Cable {
  int type = 0;
  int parent = -1;  ///< index of an earlier cable; -1 for the root, which is cable 0
  double at = 1;    ///< where on the parent
  std::vector<models::Point> points;
  int line = 0;  ///< of its first own sample
};

/// How often something was met and where first: one warning tells of all.
struct Sightings {
  int count = 0;
  int first_line = 0;

  void add(int line) {
    if (count++ == 0 || line < first_line) first_line = line;
  }
};

/// Samples as NEURON 8.2.2's Import3d makes sections of them (docs/morphology.md has the rules).
std::vector<Cable> cables_as_neuron8(const std::vector<Sample>& samples, const std::string& file,
                                     Diagnostics& diagnostics);

/// Every sample and its parent bound a frustum; unbranched runs of one type are cables.
std::vector<Cable> cables_as_they_stand(const std::vector<Sample>& samples, const std::string& file,
                                        Diagnostics& diagnostics);

/// NeuroMorpho.org's convention: see docs/morphology.md.
std::vector<Cable> cables_as_neuromorpho(const std::vector<Sample>& samples,
                                         const std::string& file, Diagnostics& diagnostics);

/// Sum of the distances between points, um.
double length_um(const std::vector<models::Point>& points);

/// Takes the marked cables away. Their children join what the cable joined, where it joined it; the
/// first child of a root taken away becomes the root and its siblings join its 0 end.
std::vector<Cable> without(std::vector<Cable> cables, const std::vector<bool>& taken);

}  // namespace hillock::io::swc
