// The sums below are those of NEURON 9's Import3d, step for step; NEURON 8.2 may run along the
// longest axis the other way, as it leaves that to its linear algebra.

#include "io/asc/asc_soma.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace hillock::io::asc {

namespace {

using Vector = std::array<double, 3>;
constexpr std::size_t circles = 21;
/// NEURON's interpreter takes numbers nearer than this for equal.
constexpr double as_good_as_equal = 1e-11;

Vector vector_of(const models::Point& p) {
  return {p.x_um, p.y_um, p.z_um};
}

Vector minus(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}

/// y(x) on straight lines between (from, y), for ascending x; constant beyond the ends. Where
/// `from` does not ascend, the point is passed over.
std::vector<double> interpolate(const std::vector<double>& x, const std::vector<double>& from,
                                const std::vector<double>& y) {
  std::vector<double> result;
  result.reserve(x.size());
  std::size_t next = 1;
  for (const double at : x) {
    while (next < from.size() && (from[next] <= from[next - 1] || from[next] < at)) ++next;
    if (at <= from[0]) {
      result.push_back(y[0]);
    } else if (next == from.size()) {
      result.push_back(y.back());
    } else {
      const double f = (at - from[next - 1]) / (from[next] - from[next - 1]);
      result.push_back((1 - f) * y[next - 1] + f * y[next]);
    }
  }
  return result;
}

/// 101 points along the contour from its first point to its last, evenly spaced in x and y, and
/// their mean.
struct Outline {
  std::vector<Vector> points;
  Vector mean{};
};

Outline outline_of(const Contour& contour) {
  std::vector<double> arc{0};
  for (std::size_t i = 1; i < contour.points.size(); ++i) {
    const models::Point& p = contour.points[i - 1];
    const models::Point& q = contour.points[i];
    const double dx = q.x_um - p.x_um, dy = q.y_um - p.y_um;
    arc.push_back(arc.back() + std::sqrt(dx * dx + dy * dy));
  }
  std::vector<double> at(101);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(i) * (arc.back() / 100);
  Outline outline;
  outline.points.resize(at.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const models::Point& point : contour.points) values.push_back(vector_of(point)[axis]);
    values = interpolate(at, arc, values);
    for (std::size_t i = 0; i < at.size(); ++i) {
      outline.points[i][axis] = values[i];
      outline.mean[axis] += values[i];
    }
    outline.mean[axis] /= static_cast<double>(at.size());
  }
  return outline;
}

/// The eigenvectors of a symmetric matrix, by ascending eigenvalue (Jacobi's rotations).
std::array<Vector, 3> principal_axes(std::array<Vector, 3> m) {
  std::array<Vector, 3> v{Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}};  // columns
  for (int sweep = 0; sweep < 50; ++sweep) {
    const double off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
    if (off == 0) break;
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (m[p][q] == 0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const double a = m[k][p], b = m[k][q];
          m[k][p] = c * a - s * b;
          m[k][q] = s * a + c * b;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double a = m[p][k], b = m[q][k];
          m[p][k] = c * a - s * b;
          m[q][k] = s * a + c * b;
        }
        m[p][q] = m[q][p] = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double a = v[p][k], b = v[q][k];
          v[p][k] = c * a - s * b;
          v[q][k] = s * a + c * b;
        }
      }
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return m[i][i]; });
  return {v[order[0]], v[order[1]], v[order[2]]};
}

/// One side of a contour: how far its points lie along the longest axis, and beside it.
struct Side {
  std::vector<double> along;
  std::vector<double> beside;

  /// Takes away what lies behind the point before it.
  void make_ascending() {
    for (std::size_t j = along.size(); j-- > 1;) {
      // A point that moves into the gap is looked at again.
      while (j < along.size() && along[j] <= along[j - 1] + as_good_as_equal) {
        along.erase(along.begin() + static_cast<std::ptrdiff_t>(j));
        beside.erase(beside.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }
};

}  // namespace

Box box_of(const Contour& contour) {
  Box box{contour.points[0].x_um, contour.points[0].x_um, contour.points[0].y_um,
          contour.points[0].y_um};
  for (const models::Point& p : contour.points) {
    box.x_low = std::min(box.x_low, p.x_um);
    box.x_high = std::max(box.x_high, p.x_um);
    box.y_low = std::min(box.y_low, p.y_um);
    box.y_high = std::max(box.y_high, p.y_um);
  }
  return box;
}

bool overlap(const Box& a, const Box& b) {
  return a.x_low <= b.x_high && b.x_low <= a.x_high && a.y_low <= b.y_high && b.y_low <= a.y_high;
}

models::Point centre_of(const std::vector<Contour>& stack) {
  models::Point centre;
  const auto count = static_cast<double>(stack.size());
  for (const Contour& contour : stack) {
    const Vector mean = outline_of(contour).mean;
    centre.x_um += mean[0] / count;
    centre.y_um += mean[1] / count;
    centre.z_um += mean[2] / count;
  }
  return centre;
}

std::optional<std::vector<models::Point>> soma_of(const Contour& contour) {
  const Outline outline = outline_of(contour);
  std::array<Vector, 3> moments{};
  for (const Vector& point : outline.points) {
    const Vector d = minus(point, outline.mean);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) moments[i][j] += d[i] * d[j];
  }
  const auto axes = principal_axes(moments);
  Vector major = axes[2];
  const auto largest =
      std::ranges::max_element(major, {}, [](double value) { return std::abs(value); });
  if (*largest < 0)
    for (double& value : major) value = -value;
  Vector minor = axes[1];
  minor[2] = 0;  // widths are measured in the plane of the drawing
  const double length = norm(minor);
  if (length < 1e-6) return std::nullopt;
  for (double& value : minor) value /= length;

  std::vector<double> along, beside;
  for (const Vector& point : outline.points) {
    const Vector d = minus(point, outline.mean);
    along.push_back(dot(d, major));
    beside.push_back(dot(d, minor));
  }
  const auto first = std::ranges::max_element(along) - along.begin();
  std::ranges::rotate(along, along.begin() + first);
  std::ranges::rotate(beside, beside.begin() + first);
  const auto last = std::ranges::min_element(along) - along.begin();
  Side one{{along.begin(), along.begin() + last}, {beside.begin(), beside.begin() + last}};
  Side other{{along.begin() + last, along.end()}, {beside.begin() + last, beside.end()}};
  std::ranges::reverse(one.along);
  std::ranges::reverse(one.beside);
  if (one.along.empty() || other.along.empty()) return std::nullopt;
  one.make_ascending();
  other.make_ascending();

  // The circles lie between the second and the last but one of all points along the axis.
  std::vector<double> all = one.along;
  all.insert(all.end(), other.along.begin(), other.along.end());
  std::ranges::sort(all);
  if (all.size() < 4) return std::nullopt;
  const double begin = all[1], step = (all[all.size() - 2] - begin) / (circles - 1);
  if (!(step > 0)) return std::nullopt;
  std::vector<double> at(circles);
  for (std::size_t i = 0; i < circles; ++i) at[i] = begin + static_cast<double>(i) * step;
  const std::vector<double> left = interpolate(at, one.along, one.beside);
  const std::vector<double> right = interpolate(at, other.along, other.beside);
  std::vector<models::Point> points;
  for (std::size_t i = 0; i < circles; ++i)
    points.push_back({outline.mean[0] + at[i] * major[0], outline.mean[1] + at[i] * major[1],
                      outline.mean[2] + at[i] * major[2], std::abs(left[i] - right[i])});
  // No end in a point.
  const auto mean = [](double a, double b) { return (a + b) / 2; };
  points.front().diameter_um = mean(points[0].diameter_um, points[1].diameter_um);
  points.back().diameter_um =
      mean(points[circles - 1].diameter_um, points[circles - 2].diameter_um);
  return points;
}

std::vector<models::Point> soma_of(const std::vector<Contour>& stack) {
  std::vector<models::Point> points;
  for (const Contour& contour : stack) {
    const std::size_t n = contour.points.size();
    double perimeter = 0;
    for (std::size_t i = 0; i < n; ++i)
      perimeter +=
          norm(minus(vector_of(contour.points[i]), vector_of(contour.points[(i + 1) % n])));
    const Outline outline = outline_of(contour);
    double radius = 0;
    for (const Vector& point : outline.points) radius += norm(minus(point, outline.mean));
    radius /= static_cast<double>(outline.points.size());
    // The mean of two radii: of the points' distances, and of the circle with this perimeter.
    points.push_back({outline.mean[0], outline.mean[1], outline.mean[2],
                      radius + perimeter / (2 * std::numbers::pi)});
  }
  return points;
}

}  // namespace hillock::io::asc
