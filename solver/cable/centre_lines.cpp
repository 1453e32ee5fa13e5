#include "solver/cable/centre_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace hillock::solver {

CentreLines::CentreLines(const models::Morphology& morphology) : morphology_(morphology) {
  std::size_t points = 0;
  for (const models::Branch& branch : morphology.branches) points += branch.points.size();
  spans_um_.reserve(points);
  ends_um_.reserve(points);
  first_.reserve(morphology.branches.size());
  lengths_um.reserve(morphology.branches.size());
  for (const models::Branch& branch : morphology.branches) {
    first_.push_back(spans_um_.size());
    double length = 0;
    for (std::size_t i = 1; i < branch.points.size(); ++i) {
      const models::Point& p = branch.points[i - 1];
      const models::Point& q = branch.points[i];
      spans_um_.push_back(std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um));
      length += spans_um_.back();
      ends_um_.push_back(length);
    }
    lengths_um.push_back(length);
  }
}

models::Point CentreLines::at(std::size_t b, double arc_um) const {
  const std::vector<models::Point>& points = morphology_.branches[b].points;
  const std::span ends(ends_um_.data() + first_[b], points.size() - 1);
  auto i = static_cast<std::size_t>(std::ranges::lower_bound(ends, arc_um) - ends.begin());
  while (i < ends.size() && !(spans_um_[first_[b] + i] > 0)) ++i;
  if (i == ends.size()) return points.back();
  const models::Point& p = points[i];
  const models::Point& q = points[i + 1];
  const double f = (arc_um - (i == 0 ? 0 : ends[i - 1])) / spans_um_[first_[b] + i];
  return {p.x_um + f * (q.x_um - p.x_um), p.y_um + f * (q.y_um - p.y_um),
          p.z_um + f * (q.z_um - p.z_um), p.diameter_um + f * (q.diameter_um - p.diameter_um)};
}

double CentreLines::diameter_um(std::size_t b) const {
  const std::vector<models::Point>& points = morphology_.branches[b].points;
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    sum += spans_um_[first_[b] + i - 1] * (points[i - 1].diameter_um + points[i].diameter_um) / 2;
  return sum / lengths_um[b];
}

double CentreLines::electrotonic_length(std::size_t b, double Ra_ohm_cm,
                                        double cm_uF_per_cm2) const {
  const std::vector<models::Point>& points = morphology_.branches[b].points;
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    sum +=
        spans_um_[first_[b] + i - 1] / std::sqrt(points[i - 1].diameter_um + points[i].diameter_um);
  return sum * std::sqrt(2.0) * 1e-5 *
         std::sqrt(4 * std::numbers::pi * 100.0 * Ra_ohm_cm * cm_uF_per_cm2);
}

}  // namespace hillock::solver
