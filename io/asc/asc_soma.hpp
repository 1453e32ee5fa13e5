#pragma once
// What NEURON makes of a soma's contours: a straight cable of circles.

#include <optional>
#include <vector>

#include "io/asc/asc_objects.hpp"

namespace hillock::io::asc {

/// A box in x and y, um.
struct Box {
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;
};
Box box_of(const Contour& contour);
bool overlap(const Box& a, const Box& b);

/// The middle of a soma's contours.
models::Point centre_of(const std::vector<Contour>& stack);

/// One contour, as 21 circles along its longest axis; nothing when it has no longest
/// axis, or no width in x and y. A circle may be one of nearly no diameter.
std::optional<std::vector<models::Point>> soma_of(const Contour& contour);

/// Several, a circle each, in their order.
std::vector<models::Point> soma_of(const std::vector<Contour>& stack);

}  // namespace hillock::io::asc
