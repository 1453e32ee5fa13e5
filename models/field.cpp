#include "models/field.hpp"

#include <algorithm>

namespace hillock::models {

std::optional<double> FieldOnGrid::at(const std::array<double, 3>& place_um) const {
  std::size_t corner = 0;
  std::array<std::size_t, 3> stride{axes_um[1].size() * axes_um[2].size(), axes_um[2].size(), 1};
  std::array<double, 3> part{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double>& at = axes_um[axis];
    if (!(place_um[axis] >= at.front() && place_um[axis] <= at.back())) return std::nullopt;
    const auto above = std::upper_bound(at.begin() + 1, at.end() - 1, place_um[axis]);
    part[axis] = (place_um[axis] - above[-1]) / (above[0] - above[-1]);
    corner += stride[axis] * static_cast<std::size_t>(above - 1 - at.begin());
  }
  double sum = 0;
  for (unsigned of = 0; of < 8; ++of) {
    double weight = 1;
    std::size_t from = corner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_above = (of >> axis & 1) != 0;
      weight *= is_above ? part[axis] : 1 - part[axis];
      if (is_above) from += stride[axis];
    }
    sum += weight * potential_mV[from];
  }
  return sum;
}

}  // namespace hillock::models
