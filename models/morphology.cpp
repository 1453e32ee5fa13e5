#include "models/morphology.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hillock::models {

namespace {

PlaceOnBranch origin_of(const Morphology& morphology) {
  if (morphology.origin) return *morphology.origin;
  const auto soma =
      std::ranges::find(morphology.branches, std::string_view("soma"), &Branch::region);
  if (soma == morphology.branches.end()) return {0, 0};
  return {static_cast<std::size_t>(soma - morphology.branches.begin()), 0.5};
}

}  // namespace

bool sizes_vary(const Morphology& morphology) {
  return morphology.given && morphology.given->cells > 1;
}

Morphology of_one_cell(const Morphology& morphology, std::size_t cell) {
  const CompartmentNumbers& all = *morphology.given;
  std::size_t compartments = 0;
  for (const Branch& branch : morphology.branches)
    compartments += static_cast<std::size_t>(branch.compartments);
  const auto row = [&](const std::vector<double>& rows, std::size_t width) {
    if (rows.size() <= width) return rows;
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(cell * width);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  const std::size_t branches = morphology.branches.size();
  CompartmentNumbers own{row(all.area_um2, compartments), row(all.diameter_um, compartments),
                         row(all.resistance_MOhm, compartments),
                         row(all.end_resistance_MOhm, branches), row(all.length_um, branches)};
  Morphology one = morphology;
  if (!own.length_um.empty()) draw_along_x(own, one.branches);
  one.given = std::make_shared<const CompartmentNumbers>(std::move(own));
  return one;
}

void draw_along_x(const CompartmentNumbers& given, std::vector<Branch>& branches) {
  std::size_t compartment = 0;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    Branch& branch = branches[b];
    Point start;
    if (branch.parent >= 0) {
      const Branch& parent = branches[static_cast<std::size_t>(branch.parent)];
      start.x_um = parent.points.front().x_um +
                   branch.at * (parent.points.back().x_um - parent.points.front().x_um);
    }
    start.diameter_um = given.diameter_um[compartment];
    compartment += static_cast<std::size_t>(branch.compartments);
    Point end = start;
    end.x_um += given.length_um[b];
    end.diameter_um = given.diameter_um[compartment - 1];
    branch.points = {start, end};
  }
}

double length_um(const Branch& branch) {
  double length = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const Point& p = branch.points[i - 1];
    const Point& q = branch.points[i];
    length += std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
  }
  return length;
}

std::vector<PathEntry> path_entries(const Morphology& morphology,
                                    const std::vector<double>& lengths_um) {
  const auto& branches = morphology.branches;
  std::vector<PathEntry> entries(branches.size());
  std::vector<bool> known(branches.size(), false);
  const PlaceOnBranch origin = origin_of(morphology);
  entries[origin.branch] = {origin.position * lengths_um[origin.branch], 0};
  known[origin.branch] = true;
  const auto distance = [&](std::size_t b, double arc_um) {
    return entries[b].distance_um + std::abs(arc_um - entries[b].arc_um);
  };
  // Towards the root each branch is entered where the one below joins it, elsewhere at its 0 end.
  for (std::size_t b = origin.branch; branches[b].parent >= 0;) {
    const auto p = static_cast<std::size_t>(branches[b].parent);
    entries[p] = {branches[b].at * lengths_um[p], distance(b, 0)};
    known[p] = true;
    b = p;
  }
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (known[b]) continue;
    if (branches[b].parent >= 0) {
      const auto p = static_cast<std::size_t>(branches[b].parent);
      entries[b] = {0, distance(p, branches[b].at * lengths_um[p])};
    }
    known[b] = true;
  }
  return entries;
}

}  // namespace hillock::models
