#pragma once
// What NEURON's Import3d does with the sections of any file when it makes them.

#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/cables.hpp"

namespace hillock::io {

/// Whether NEURON's interpreter takes two numbers for equal.
bool equal_in_neuron(double a, double b);

/// Whether it takes two points for one place.
bool coincide(const models::Point& a, const models::Point& b);

/// A coordinate or diameter as NEURON keeps it, in single precision.
models::Point in_single_precision(const models::Point& point);

/// One point, as a cylinder along x whose length is its diameter.
std::vector<models::Point> cylinder_of(const models::Point& centre);

/// Leaves out cables of one point, and those but the root of two that coincide; gives longer ones
/// whose points all coincide a length of 1e-9 um; rounds all points to single precision. Warns of
/// what it changes.
std::vector<Cable> sections_of(std::vector<Cable> cables, const std::string& file,
                               Diagnostics& diagnostics);

}  // namespace hillock::io
