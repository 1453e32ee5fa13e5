#include "io/morphology/replace_axon.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.hpp"

namespace hillock::io {

namespace {

/// The place is the caller's to know: it has the model file's line.
[[noreturn]] void refuse(const std::string& why) {
  Diagnostics diagnostics;
  diagnostics.error({}, "replace_axon: " + why);
  throw InvalidModel(diagnostics.all());
}

/// The point halfway along a branch.
models::Point middle_of(const models::Branch& branch) {
  double left = models::length_um(branch) / 2;
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

/// The unit vector from `from` to `to`; down the y axis when they coincide.
models::Point direction(const models::Point& from, const models::Point& to) {
  const models::Point d{to.x_um - from.x_um, to.y_um - from.y_um, to.z_um - from.z_um, 0};
  const double length = std::hypot(d.x_um, d.y_um, d.z_um);
  if (length == 0) return {0, -1, 0, 0};
  return {d.x_um / length, d.y_um / length, d.z_um / length, 0};
}

}  // namespace

void replace_axon(models::Morphology& morphology, const ReplaceAxon& stub) {
  std::vector<models::Branch> kept;
  std::vector<int> new_index(morphology.branches.size(), -1);
  int soma = -1;
  models::Point axon_end;
  bool had_axon = false;
  for (std::size_t i = 0; i < morphology.branches.size(); ++i) {
    const models::Branch& branch = morphology.branches[i];
    if (branch.region == "axon") {
      if (branch.parent < 0) refuse("the axon is the root (nothing is left without it)");
      if (!had_axon) axon_end = branch.points.back();
      had_axon = true;
      continue;
    }
    if (branch.parent >= 0 && new_index[branch.parent] < 0)
      refuse(fmt::format("{} hangs on {} (it would be cut off with the axon)", branch.name,
                         morphology.branches[branch.parent].name));
    new_index[i] = static_cast<int>(kept.size());
    if (soma < 0 && branch.region == "soma") soma = new_index[i];
    kept.push_back(branch);
    if (branch.parent >= 0) kept.back().parent = new_index[branch.parent];
  }
  if (soma < 0) refuse("there is no soma to put the stub on");

  const models::Point start = middle_of(kept[soma]);
  const models::Point d = had_axon ? direction(start, axon_end) : models::Point{0, -1, 0, 0};
  for (int k = 0; k < stub.branches; ++k) {
    const auto point = [&](double distance_um) {
      return models::Point{start.x_um + distance_um * d.x_um, start.y_um + distance_um * d.y_um,
                           start.z_um + distance_um * d.z_um, stub.diameter_um};
    };
    models::Branch branch;
    branch.name = fmt::format("axon[{}]", k);
    branch.region = "axon";
    branch.parent = k == 0 ? soma : static_cast<int>(kept.size()) - 1;
    branch.at = k == 0 ? 0.5 : 1;
    branch.points = {point(k * stub.length_um), point((k + 1) * stub.length_um)};
    kept.push_back(std::move(branch));
  }
  morphology.branches = std::move(kept);
}

}  // namespace hillock::io
