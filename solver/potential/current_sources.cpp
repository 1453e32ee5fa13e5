#include "solver/potential/current_sources.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/random/normal_pair.hpp"
#include "solver/cable/centre_lines.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver {

namespace {

constexpr double none_um = 1e-8;   ///< shorter is no length
constexpr double least_um = 1e-6;  ///< from a source, where a potential is still a number

Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector3 operator+(const Vector3& a, const Vector3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector3 operator*(double factor, const Vector3& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
Vector3 by_axis(const Vector3& a, const Vector3& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}
double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector3& a) {
  return std::sqrt(dot(a, a));
}

/// ln x of x >= 1, the same bits on every machine.
double logarithm(double x) {
  return 0.5 * squared_radius(1 / x);
}

/// The integral of 1/distance along a line from `near` to `far` behind the foot of the
/// perpendicular, which has the length `across`.
double along_line(double near, double far, double across) {
  const auto reach = [&](double along) {
    return std::abs(along) + std::sqrt(along * along + across * across);
  };
  if (near < 0 && far > 0) return logarithm(reach(near) * reach(far) / (across * across));
  const double a = reach(near), b = reach(far);
  return logarithm(std::max(a, b) / std::min(a, b));
}

/// Two directions at right angles to a third and to each other.
std::pair<Vector3, Vector3> across(const Vector3& normal) {
  Vector3 axis{};
  const auto smallest =
      std::ranges::min_element(normal, {}, [](double part) { return std::abs(part); });
  axis[static_cast<std::size_t>(smallest - normal.begin())] = 1;
  Vector3 u = cross(normal, axis);
  u = (1 / length(u)) * u;
  return {u, cross(normal, u)};
}

/// Points of a disc that stand for equal parts of it: of the square of the distance from its middle
/// Gauss's four places, with his weights as numbers of points as near as can be. Without functions
/// of the C library, whose last bits are a machine's own.
std::vector<Vector3> points_on_disc(const models::Contact& contact) {
  struct Ring {
    double share;         ///< of the square of the radius
    int points;           ///< as 0.1739 to 0.3261
    double cosine, sine;  ///< of the angle between two of them
  };
  constexpr double cosine_8 = 0.70710678118654752, cosine_15 = 0.91354545764260087,
                   sine_15 = 0.40673664307580021;
  constexpr Ring rings[] = {{0.06943184420297371, 8, cosine_8, cosine_8},
                            {0.33000947820757187, 15, cosine_15, sine_15},
                            {0.66999052179242813, 15, cosine_15, sine_15},
                            {0.93056815579702629, 8, cosine_8, cosine_8}};
  const auto [u, v] = across(contact.normal);
  std::vector<Vector3> all;
  for (const Ring& ring : rings) {
    double x = contact.radius_um * std::sqrt(ring.share), y = 0;
    for (int i = 0; i < ring.points; ++i) {
      all.push_back(contact.at_um + x * u + y * v);
      const double turned = ring.cosine * x - ring.sine * y;
      y = ring.sine * x + ring.cosine * y;
      x = turned;
    }
  }
  return all;
}

/// Where a contact that is nearer to a source than its radius counts as being.
Vector3 outside(const CurrentSource& source, const Vector3& point, const Vector3& nearest) {
  const Vector3 away = point - nearest;
  const double distance = length(away);
  if (distance >= source.radius_um) return point;
  if (distance >= none_um) return nearest + (source.radius_um / distance) * away;
  const Vector3 along = source.end_um - source.begin_um;
  Vector3 direction = std::abs(along[0]) <= none_um ? Vector3{0, along[2], -along[1]}
                                                    : Vector3{-along[1], along[0], 0};
  const double size = length(direction);
  direction = size > 0 ? (1 / size) * direction : Vector3{1, 0, 0};
  return nearest + source.radius_um * direction;
}

}  // namespace

Vector3 middle_of_soma(const models::Morphology& morphology) {
  const auto soma = std::ranges::find(morphology.branches, "soma", &models::Branch::region);
  if (soma == morphology.branches.end()) {
    const models::Point& root = morphology.branches.front().points.front();
    return {root.x_um, root.y_um, root.z_um};
  }
  const auto b = static_cast<std::size_t>(soma - morphology.branches.begin());
  const CentreLines lines(morphology);
  const models::Point middle = lines.at(b, lines.lengths_um[b] / 2);
  return {middle.x_um, middle.y_um, middle.z_um};
}

std::vector<CurrentSource> sources_of(const models::Morphology& morphology, const Template& cell,
                                      std::span<const NodeId> nodes) {
  const CentreLines lines(morphology);
  const auto place = [&](std::size_t b, double along) -> Vector3 {
    const models::Point at = lines.at(b, along * lines.lengths_um[b]);
    return {at.x_um, at.y_um, at.z_um};
  };
  std::vector<CurrentSource> sources;
  for (const NodeId node : nodes) {
    const auto n = static_cast<std::size_t>(node.value);
    const std::size_t b = cell.branch_of(node);
    const DiscreteBranch& branch = cell.branches[b];
    const NodeLocation& location = cell.location(n);
    CurrentSource source;
    source.middle_um = place(b, location.position);
    if (location.is_compartment) {
      const int i = static_cast<int>(node.value) - branch.first_node;
      source.begin_um = place(b, static_cast<double>(i) / branch.compartments);
      source.end_um = place(b, static_cast<double>(i + 1) / branch.compartments);
    } else {
      source.begin_um = source.end_um = source.middle_um;
    }
    const int beside = location.position < 0.5 ? branch.first_node : branch.end_node - 1;
    source.radius_um =
        cell.diameter_um(location.is_compartment ? n : static_cast<std::size_t>(beside)) / 2;
    source.is_soma = cell.name_of(b).region == "soma";
    sources.push_back(source);
  }
  return sources;
}

PotentialMap::PotentialMap(models::Potential potential) : potential_(std::move(potential)) {
  const Vector3& sigma = potential_.conductivity_S_per_m;
  is_isotropic_ = sigma[0] == sigma[1] && sigma[1] == sigma[2];
  for (std::size_t axis = 0; axis < 3; ++axis)
    weights_[axis] =
        is_isotropic_ ? sigma[0] : std::sqrt(sigma[(axis + 1) % 3] * sigma[(axis + 2) % 3]);
  for (const models::Contact& contact : potential_.contacts) {
    first_.push_back(points_.size());
    if (contact.radius_um > 0)
      std::ranges::copy(points_on_disc(contact), std::back_inserter(points_));
    else
      points_.push_back(contact.at_um);
  }
  first_.push_back(points_.size());
  if (!potential_.plane) return;
  const models::ConductivityPlane& plane = *potential_.plane;
  mirrored_ = (sigma[0] - plane.conductivity_S_per_m) / (sigma[0] + plane.conductivity_S_per_m);
  for (const models::Contact& contact : potential_.contacts)
    if (side_ == 0) side_ = contact.at_um[static_cast<std::size_t>(plane.axis)] - plane.at_um;
}

bool PotentialMap::is_beyond_plane(const CurrentSource& source) const {
  if (!potential_.plane) return false;
  const auto beyond = [&](const Vector3& end) {
    const double height =
        end[static_cast<std::size_t>(potential_.plane->axis)] - potential_.plane->at_um;
    return side_ > 0 ? height < 0 : side_ < 0 && height > 0;
  };
  return beyond(source.begin_um) || beyond(source.end_um);
}

std::span<const Vector3> PotentialMap::points_of(std::size_t contact) const {
  return std::span(points_).subspan(first_[contact], first_[contact + 1] - first_[contact]);
}

void PotentialMap::append(std::span<const CurrentSource> sources, PotentialArray& to) const {
  const std::size_t begin = to.size();
  to.resize(begin + map_size(sources.size(), potential_.size()));
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::vector<double> row = of(sources[s]);
    for (std::size_t contact = 0; contact < row.size(); ++contact)
      to[begin + place_in_map(s, contact, sources.size())] = row[contact];
  }
}

std::vector<double> PotentialMap::of(const CurrentSource& source) const {
  if (potential_.is_dipole()) {
    const Vector3 middle = 0.5 * (source.begin_um + source.end_um);
    return {middle[0], middle[1], middle[2]};
  }
  CurrentSource taken = source;
  taken.radius_um = std::max(potential_.minimum_distance_um.value_or(source.radius_um), least_um);
  using Method = models::Potential::Method;
  if (potential_.method == Method::point ||
      (potential_.method == Method::soma_as_point && source.is_soma))
    taken.begin_um = taken.end_um = 0.5 * (source.begin_um + source.end_um);
  std::vector<double> row(potential_.contacts.size());
  for (std::size_t contact = 0; contact < row.size(); ++contact) {
    const std::span<const Vector3> points = points_of(contact);
    double sum = 0;
    for (const Vector3& point : points) sum += at(taken, point);
    row[contact] = sum / static_cast<double>(points.size());
  }
  return row;
}

double PotentialMap::at(const CurrentSource& source, const Vector3& point) const {
  double sum = in_whole_space(source, point);
  if (potential_.plane) {
    CurrentSource image = source;
    const auto axis = static_cast<std::size_t>(potential_.plane->axis);
    for (Vector3* const end : {&image.begin_um, &image.end_um})
      (*end)[axis] = 2 * potential_.plane->at_um - (*end)[axis];
    sum += mirrored_ * in_whole_space(image, point);
  }
  return sum;
}

double PotentialMap::in_whole_space(const CurrentSource& source, const Vector3& point) const {
  constexpr double scale = 1 / (4 * std::numbers::pi);  // nA/(S/m um) is mV
  const Vector3 along = source.end_um - source.begin_um;
  const double whole = length(along);
  if (whole < none_um) {
    const Vector3 from = outside(source, point, source.begin_um) - source.begin_um;
    return scale / length(by_axis(weights_, from));
  }
  const Vector3 direction = (1 / whole) * along;
  const Vector3 from = point - source.begin_um;
  const double far = dot(from, direction);
  if (is_isotropic_) {
    const double across_um = std::max(length(cross(from, direction)), source.radius_um);
    return scale * along_line(far - whole, far, across_um) / (weights_[0] * whole);
  }
  // Along axes that are stretched each as the medium conducts across it, the medium is isotropic.
  const Vector3 nearest = source.begin_um + std::clamp(far, 0.0, whole) * direction;
  const Vector3 stretched = by_axis(weights_, along);
  const Vector3 to = by_axis(weights_, outside(source, point, nearest) - source.begin_um);
  const double stretched_length = length(stretched);
  const Vector3 way = (1 / stretched_length) * stretched;
  const double reach = dot(to, way);
  return scale * along_line(reach - stretched_length, reach, length(cross(to, way))) /
         stretched_length;
}

}  // namespace hillock::solver
