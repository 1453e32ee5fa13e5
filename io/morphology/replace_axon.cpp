#include "io/morphology/replace_axon.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hillock::io {

namespace {

/// The point at a position, 0 to 1, of a branch.
models::Point point_on(const models::Branch& branch, double position) {
  double left = models::length_um(branch) * position;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const models::Point& p = branch.points[i - 1];
    const models::Point& q = branch.points[i];
    const double length = std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
    if (length > 0 && length >= left) {
      const double f = left / length;
      return {p.x_um + f * (q.x_um - p.x_um), p.y_um + f * (q.y_um - p.y_um),
              p.z_um + f * (q.z_um - p.z_um), p.diameter_um + f * (q.diameter_um - p.diameter_um)};
    }
    left -= length;
  }
  return branch.points.back();
}

/// A branch's diameter, averaged along it.
double mean_diameter_um(const models::Branch& branch) {
  double sum = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const models::Point& p = branch.points[i - 1];
    const models::Point& q = branch.points[i];
    sum += std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um) *
           (p.diameter_um + q.diameter_um) / 2;
  }
  return sum / models::length_um(branch);
}

/// Where NEURON draws a section without points that joins one which has some: 0.4 rad from y to x.
constexpr models::Point direction{0.38941834230865047, 0.92106099400288510, 0, 0};

}  // namespace

std::string replace_axon(models::Morphology& morphology, const ReplaceAxon& stub) {
  std::vector<models::Branch> kept;
  std::vector<int> new_index(morphology.branches.size(), -1);
  int soma = -1;
  bool had_axon = false;
  double first_um = 0, last_um = 0;  // diameters of the axon
  for (std::size_t i = 0; i < morphology.branches.size(); ++i) {
    const models::Branch& branch = morphology.branches[i];
    if (branch.region == "axon") {
      if (branch.parent < 0) return "the axon is the root (nothing is left without it)";
      last_um = mean_diameter_um(branch);
      if (!had_axon) first_um = last_um;
      had_axon = true;
      continue;
    }
    if (branch.parent >= 0 && new_index[branch.parent] < 0)
      return fmt::format("{} hangs on {} (it would be cut off with the axon)", branch.name,
                         morphology.branches[branch.parent].name);
    new_index[i] = static_cast<int>(kept.size());
    if (soma < 0 && branch.region == "soma") soma = new_index[i];
    kept.push_back(branch);
    if (branch.parent >= 0) kept.back().parent = new_index[branch.parent];
  }
  if (soma < 0) return "there is no soma to put the stub on";

  if (!stub.diameter_um && !had_axon) return "there is no axon whose diameters the stub could have";

  const models::Point start = point_on(kept[soma], stub.at);
  for (int k = 0; k < stub.branches; ++k) {
    const double diameter_um = stub.diameter_um.value_or(k == 0 ? first_um : last_um);
    const auto point = [&](double distance_um) {
      return models::Point{start.x_um + distance_um * direction.x_um,
                           start.y_um + distance_um * direction.y_um,
                           start.z_um + distance_um * direction.z_um, diameter_um};
    };
    models::Branch branch;
    branch.name = fmt::format("axon[{}]", k);
    branch.region = "axon";
    branch.parent = k == 0 ? soma : static_cast<int>(kept.size()) - 1;
    branch.at = k == 0 ? stub.at : 1;
    branch.points = {point(k * stub.length_um), point((k + 1) * stub.length_um)};
    kept.push_back(std::move(branch));
  }
  morphology.branches = std::move(kept);
  return {};
}

}  // namespace hillock::io
