#include "io/morphology/sections.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hillock::io {

namespace {

/// NEURON's interpreter takes numbers nearer than this for equal.
constexpr double equal_within = 1e-11;
/// The length that NEURON gives to a section whose points all coincide, um.
constexpr double least_length_um = 1e-9;

}  // namespace

bool equal_in_neuron(double a, double b) {
  return std::abs(a - b) <= equal_within;
}

bool coincide(const models::Point& a, const models::Point& b) {
  return equal_in_neuron(a.x_um, b.x_um) && equal_in_neuron(a.y_um, b.y_um) &&
         equal_in_neuron(a.z_um, b.z_um);
}

models::Point in_single_precision(const models::Point& p) {
  const auto single = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  return {single(p.x_um), single(p.y_um), single(p.z_um), single(p.diameter_um)};
}

std::vector<models::Point> cylinder_of(const models::Point& centre) {
  models::Point left = centre;
  models::Point right = centre;
  left.x_um -= centre.diameter_um / 2;
  right.x_um += centre.diameter_um / 2;
  return {left, centre, right};
}

std::vector<Cable> sections_of(std::vector<Cable> cables, const std::string& file,
                               Diagnostics& diagnostics) {
  std::vector<bool> empty(cables.size(), false);
  Sightings left_out;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    Cable& cable = cables[i];
    const std::size_t n = cable.points.size();
    empty[i] =
        n == 1 || (cable.parent >= 0 && n == 2 && coincide(cable.points[0], cable.points[1]));
    if (empty[i]) left_out.add(cable.line);
    for (models::Point& point : cable.points) point = in_single_precision(point);
  }
  if (left_out.count > 0) {
    diagnostics.warning(
        {file, left_out.first_line, 0},
        fmt::format("a branch of one point, or of two that coincide, is left out as "
                    "NEURON 8 does ({} in the file)",
                    left_out.count));
    cables = without(std::move(cables), empty);
  }

  Sightings without_length;
  for (Cable& cable : cables) {
    if (length_um(cable.points) > 0) continue;
    cable.points.back().x_um += least_length_um;
    without_length.add(cable.line);
  }
  if (without_length.count > 0)
    diagnostics.warning(
        {file, without_length.first_line, 0},
        fmt::format("all points of a branch coincide; it becomes 1e-9 um long as in "
                    "NEURON 8 ({} in the file)",
                    without_length.count));
  return cables;
}

}  // namespace hillock::io
