#pragma once
// The samples of an SWC file, checked to be one tree. What they mean as branches is not known here.

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"
#include "models/morphology.hpp"

namespace hillock::io::swc {

/// SWC's own types; every number from 5 on, and 0, is a tag without a fixed meaning.
inline constexpr int soma_type = 1;
inline constexpr int axon_type = 2;
inline constexpr int dendrite_type = 3;
inline constexpr int apical_type = 4;

/// One line of the file.
struct Sample {
  int type = 0;
  models::Point point;  ///< with the diameter, twice the file's radius
  int parent = -1;      ///< index of an earlier sample; -1 for the root, which is sample 0
  int line = 0;
};

/// Samples so ordered that a parent precedes its children: by id where the ids allow it, else
/// depth first. Empty when `diagnostics` received an error.
/// Cost O(n log n), O(n) for a file in order.
std::vector<Sample> read_samples(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics);

}  // namespace hillock::io::swc
