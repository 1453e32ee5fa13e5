#pragma once
// Potentials that others make outside cells, as a model gives them.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/potential.hpp"
#include "models/value.hpp"

namespace hillock::models {

/// Points that currents leave for a medium that conducts alike everywhere.
struct FieldOfPoints {
  Potential medium;  ///< its contacts are the points
  std::vector<double> current_nA;
};

/// A potential at the corners of boxes, linear along each axis between them.
struct FieldOnGrid {
  std::string file;                            ///< for messages
  std::array<std::vector<double>, 3> axes_um;  ///< rising, two numbers or more each
  std::vector<double> potential_mV;            ///< [x][y][z]

  /// Nothing outside.
  std::optional<double> at(const std::array<double, 3>& place_um) const;
};

/// A potential at nodes that lie anywhere.
struct FieldOfNodes {
  std::string file;  ///< for messages
  std::vector<std::array<double, 3>> places_um;
  std::vector<std::vector<double>> potential_mV;  ///< [frame][node]
  bool is_nearest = false;           ///< that of the nearest node, else linear between nodes
  std::optional<double> outside_mV;  ///< where no nodes are around
};

/// Of frames, potentials that are there at some times and linear between them, what each is
/// multiplied by: (ms, number), rising in time, and 0 outside. times_ms: of frames, rising. clock:
/// (ms, which time of theirs it then is), linear between rows; empty: the run's time.
std::vector<std::vector<std::pair<double, double>>> frames_in_time(
    const std::vector<double>& times_ms, const std::vector<std::pair<double, double>>& clock);

/// amplitude · sin(2 pi (frequency · (t - start) + phase)) + offset from start on.
struct SineWave {
  Value amplitude = 1.0;
  Value frequency_Hz = 0.0;
  Value phase_turns = 0.0;
  Value offset = 0.0;
  Value start_ms = 0.0;
  Value duration_ms = 0.0;
};

}  // namespace hillock::models
