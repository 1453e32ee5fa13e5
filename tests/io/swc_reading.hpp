#pragma once
// Reads SWC from a text, and says what came of it as tests compare it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/swc/swc.hpp"

namespace hillock::io {

inline constexpr SomaRule every_rule[] = {SomaRule::neuron8, SomaRule::neuromorpho,
                                          SomaRule::literal};

struct Reading {
  models::Morphology morphology;
  Diagnostics diagnostics;

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Diagnostic& d : diagnostics.all()) all.push_back(to_string(d));
    return all;
  }
  const models::Branch& branch(const std::string& name) const {
    for (const models::Branch& b : morphology.branches)
      if (b.name == name) return b;
    throw std::out_of_range(name);
  }
  /// "dend[0] on soma at 0.5", for each branch in order.
  std::vector<std::string> joints() const {
    std::vector<std::string> all;
    for (const models::Branch& b : morphology.branches)
      all.push_back(b.parent < 0 ? b.name
                                 : fmt::format("{} on {} at {}", b.name,
                                               morphology.branches[b.parent].name, b.at));
    return all;
  }
};

inline Reading read_text(const std::string& text, SomaRule rule = SomaRule::neuron8,
                         const Measures& measures = {}) {
  Reading reading;
  reading.morphology = read_swc(text, "a.swc", rule, measures, reading.diagnostics);
  return reading;
}

inline std::vector<std::string> swc_errors(const std::string& text) {
  return read_text(text).messages();
}

inline std::vector<std::vector<double>> points_of(const models::Branch& b) {
  std::vector<std::vector<double>> all;
  for (const models::Point& p : b.points) all.push_back({p.x_um, p.y_um, p.z_um, p.diameter_um});
  return all;
}

inline double area_um2(const models::Branch& branch) {
  double area = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const models::Point& p = branch.points[i - 1];
    const models::Point& q = branch.points[i];
    const double length = std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
    area += std::numbers::pi * (p.diameter_um + q.diameter_um) / 2 *
            std::hypot((p.diameter_um - q.diameter_um) / 2, length);
  }
  return area;
}

struct Totals {
  double length_um = 0;
  double area_um2 = 0;
  std::size_t points = 0;
};

inline Totals totals(const models::Morphology& morphology) {
  Totals sum;
  for (const models::Branch& branch : morphology.branches) {
    sum.length_um += models::length_um(branch);
    sum.area_um2 += area_um2(branch);
    sum.points += branch.points.size();
  }
  return sum;
}

/// What every caller relies on: a tree, parents first, two points a branch, some length, unique
/// names.
inline void expect_sound(const models::Morphology& morphology) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < morphology.branches.size(); ++i) {
    const models::Branch& b = morphology.branches[i];
    EXPECT_EQ(b.parent < 0, i == 0) << b.name;
    EXPECT_LT(b.parent, static_cast<int>(i)) << b.name;
    EXPECT_GE(b.points.size(), 2u) << b.name;
    EXPECT_GT(models::length_um(b), 0) << b.name;
    EXPECT_TRUE(b.at >= 0 && b.at <= 1) << b.name;
    EXPECT_EQ(b.region, b.name.substr(0, b.name.find('['))) << b.name;
    names.push_back(b.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_TRUE(std::adjacent_find(names.begin(), names.end()) == names.end());
}

}  // namespace hillock::io
