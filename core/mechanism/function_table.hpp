#pragma once
// The numbers behind a FUNCTION_TABLE of a mechanism, as a model gives them: values on a grid.

#include <map>
#include <string>
#include <vector>

#include "core/errors/place.hpp"

namespace hillock {

/// Where an argument has values.
struct TableAxis {
  int count = 1;                 ///< of points, at least 1
  double first = 0, last = 0;    ///< first < last where there are several
  std::vector<double> points{};  ///< [count] ascending; empty: evenly spaced from first to last
};

struct GivenTable {
  std::vector<TableAxis> axes;  ///< [argument]; empty: a constant, whatever the arguments
  std::vector<double> values;   ///< the last argument's index moves fastest
  Place place;                  ///< where it is given
};

/// By the names that the mechanism's file gives them.
using GivenTables = std::map<std::string, GivenTable, std::less<>>;

}  // namespace hillock
