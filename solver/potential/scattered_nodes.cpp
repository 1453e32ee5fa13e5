#include "solver/potential/scattered_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/random/philox.hpp"
#include "core/simd/exponential.hpp"

namespace hillock::solver {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Place minus(const Place& a, const Place& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double times(const Place& a, const Place& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Place across(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A circle through three points, seen from the first.
struct Circle {
  Place normal{};  ///< of any length
  Place middle{};
  double squared_radius = infinity;  ///< of points on a line
};

Circle circle_through(const Place& a, const Place& b, const Place& c) {
  const Place u = minus(b, a), v = minus(c, a);
  Circle circle;
  circle.normal = across(u, v);
  const double size = times(circle.normal, circle.normal);
  if (!(size > 0)) return circle;
  const double uu = times(u, u), vv = times(v, v);
  const Place toward =
      across({vv * u[0] - uu * v[0], vv * u[1] - uu * v[1], vv * u[2] - uu * v[2]}, circle.normal);
  for (std::size_t axis = 0; axis < 3; ++axis) circle.middle[axis] = -toward[axis] / (2 * size);
  circle.squared_radius = times(circle.middle, circle.middle);
  return circle;
}

/// How much of a place is each corner.
std::array<double, 4> shares(const Place& place, const std::array<Place, 4>& corners) {
  const Place u = minus(corners[1], corners[0]), v = minus(corners[2], corners[0]),
              w = minus(corners[3], corners[0]), p = minus(place, corners[0]);
  const double whole = times(u, across(v, w));
  const double of_u = times(p, across(v, w)) / whole, of_v = times(u, across(p, w)) / whole,
               of_w = times(u, across(v, p)) / whole;
  return {1 - of_u - of_v - of_w, of_u, of_v, of_w};
}

}  // namespace

ScatteredNodes::ScatteredNodes(std::span<const Place> nodes)
    : nodes_(nodes), moved_(nodes.begin(), nodes.end()) {
  Place least{infinity, infinity, infinity}, most{-infinity, -infinity, -infinity};
  for (const Place& node : nodes)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      least[axis] = std::min(least[axis], node[axis]);
      most[axis] = std::max(most[axis], node[axis]);
    }
  const Place size = minus(most, least);
  for (std::size_t axis = 0; axis < 3; ++axis) middle_[axis] = least[axis] + size[axis] / 2;
  // A ten-millionth of how far nodes are apart in the mean. Not std::cbrt: it is not the same on
  // every processor.
  const double volume = size[0] * size[1] * size[2] / static_cast<double>(nodes.size());
  const double apart = 1e-7 * exponential(std::log(volume) / 3);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const PhiloxWords<unsigned> words = philox<unsigned>({{static_cast<unsigned>(n)}}, 0, 0);
    for (std::size_t axis = 0; axis < 3; ++axis)
      moved_[n][axis] += apart * (0x1p-31 * static_cast<double>(words.word[axis]) - 1);
  }
  if (nodes.size() >= 4 && apart > 0) make_first();
}

/// An edge to the nearest node, the least circle through it and a third, and a node beside these.
void ScatteredNodes::make_first() {
  const auto least = [&](const auto& value) {
    std::uint32_t best = none;
    double best_value = infinity;
    for (std::uint32_t n = 1; n < moved_.size(); ++n)
      if (const double of = value(n); of < best_value) {
        best = n;
        best_value = of;
      }
    return best;
  };
  const std::uint32_t b = least([&](std::uint32_t n) {
    const Place apart = minus(moved_[n], moved_[0]);
    return times(apart, apart);
  });
  if (b == none) return;
  const std::uint32_t c = least([&](std::uint32_t n) {
    return n == b ? infinity : circle_through(moved_[0], moved_[b], moved_[n]).squared_radius;
  });
  if (c == none) return;
  std::array<std::uint32_t, 3> face{0, b, c};
  std::ranges::sort(face);
  for (const bool flips : {false, true})
    if (const std::uint32_t d = find_beyond(face, flips); d != none && !first_)
      first_ = Corners{face[0], face[1], face[2], d};
}

/// The node on the side of a face to which its normal points, or on the other one, with which it
/// has an empty sphere; none where there is none.
std::uint32_t ScatteredNodes::find_beyond(const std::array<std::uint32_t, 3>& face,
                                          bool flips) const {
  const Place& a = moved_[face[0]];
  const Circle circle = circle_through(a, moved_[face[1]], moved_[face[2]]);
  const double side = flips ? -1 : 1;
  std::uint32_t best = none;
  double best_at = infinity;
  for (std::uint32_t n = 0; n < moved_.size(); ++n) {
    const Place from = minus(moved_[n], a);
    const double height = side * times(from, circle.normal);
    if (!(height > 0) || n == face[0] || n == face[1] || n == face[2]) continue;
    const double at = (times(from, from) - 2 * times(from, circle.middle)) / height;
    if (at < best_at) {
      best = n;
      best_at = at;
    }
  }
  return best;
}

std::uint32_t ScatteredNodes::beyond(const Corners& corners, std::size_t dropped) {
  std::array<std::uint32_t, 3> face{};
  for (std::size_t k = 0, to = 0; k < 4; ++k)
    if (k != dropped) face[to++] = corners[k];
  std::ranges::sort(face);
  const auto [known, is_new] =
      known_.try_emplace({face[0], face[1], face[2], corners[dropped]}, none);
  if (is_new) {
    const Place& a = moved_[face[0]];
    const Place normal = across(minus(moved_[face[1]], a), minus(moved_[face[2]], a));
    known->second = find_beyond(face, times(minus(moved_[corners[dropped]], a), normal) > 0);
  }
  return known->second;
}

std::optional<ScatteredNodes::Weights> ScatteredNodes::around(const Place& place) {
  const std::optional<Found> found = find_around(place);
  if (found && !found->is_flat) return found->weights;
  // Where nodes of the hull lie in a plane, what lies in that, too, may be beyond the hull since
  // they were moved, or in a flat tetrahedron of any of these nodes.
  Place inwards = place;
  for (std::size_t axis = 0; axis < 3; ++axis)
    inwards[axis] += 1e-6 * (middle_[axis] - place[axis]);
  if (const std::optional<Found> other = find_around(inwards)) return other->weights;
  return found ? std::optional(found->weights) : std::nullopt;
}

std::optional<ScatteredNodes::Found> ScatteredNodes::find_around(const Place& place) {
  if (!first_) return std::nullopt;
  const auto of_moved = [&](const Corners& corners) {
    return shares(place,
                  {moved_[corners[0]], moved_[corners[1]], moved_[corners[2]], moved_[corners[3]]});
  };
  Corners corners = *first_;
  std::uint32_t left = none, came = none;  // the corner that was dropped last, and its successor
  for (;;) {
    const std::array<double, 4> of = of_moved(corners);
    const auto farthest = static_cast<std::size_t>(std::ranges::min_element(of) - of.begin());
    if (of[farthest] >= 0) break;
    const std::uint32_t next = beyond(corners, farthest);
    if (next == none) return std::nullopt;
    if (next == left && corners[farthest] == came) break;  // on a face, to within rounding
    left = std::exchange(corners[farthest], next);
    came = next;
  }
  std::ranges::sort(corners);
  Found found;
  std::ranges::copy(corners, found.weights.nodes.begin());
  found.weights.of = shares(
      place, {nodes_[corners[0]], nodes_[corners[1]], nodes_[corners[2]], nodes_[corners[3]]});
  const auto is_good = [](double of) { return of > -1e-5 && of < 1 + 1e-5; };
  found.is_flat = !std::ranges::all_of(found.weights.of, is_good);
  if (found.is_flat) found.weights.of = of_moved(corners);
  return found;
}

std::size_t ScatteredNodes::nearest(const Place& place) const {
  std::size_t best = 0;
  double best_apart = infinity;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Place apart = minus(nodes_[n], place);
    if (const double of = times(apart, apart); of < best_apart) {
      best = n;
      best_apart = of;
    }
  }
  return best;
}

}  // namespace hillock::solver
