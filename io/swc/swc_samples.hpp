#pragma once
// The samples of an SWC file, checked to be one tree. What they mean as branches is not known here.

#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/measures.hpp"
#include "models/morphology.hpp"

namespace hillock::io::swc {

/// One line of the file.
struct Sample {
  int type = 0;
  models::Point point;  ///< in um, with the diameter, twice the file's radius
  int parent = -1;      ///< index of an earlier sample; -1 for the root, which is sample 0
  int line = 0;
};

/// Samples so ordered that a parent precedes its children: by id where the ids allow it, else
/// depth first. Empty when `diagnostics` received an error.
/// Cost O(n log n), O(n) for a file in order.
std::vector<Sample> read_samples(std::string_view text, const std::string& file,
                                 const Measures& measures, Diagnostics& diagnostics);

}  // namespace hillock::io::swc
