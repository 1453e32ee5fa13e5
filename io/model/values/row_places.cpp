#include "io/model/values/row_places.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace hillock::io {

namespace {

constexpr double most_branch = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::string branch_problem(double branch, const CellShape* shape) {
  if (branch < 0 || branch != std::floor(branch) || branch > most_branch)
    return fmt::format("the branch {:.12g} is not a whole number from 0", branch);
  if (shape && shape->drawn)
    return "each cell draws its own random tree, so no branch of it has a certain number";
  if (shape && shape->known && branch >= static_cast<double>(shape->branches.size()))
    return fmt::format("the branch {:.0f} is out of range (the cell has {}, counted from 0)",
                       branch, shape->branches.size());
  return "";
}

std::string position_problem(double position) {
  if (position >= 0 && position <= 1) return "";
  return fmt::format("the position {:.6g} must lie in [0, 1] (0 is the end towards the soma)",
                     position);
}

}  // namespace hillock::io
