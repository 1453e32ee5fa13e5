#include "io/page/tree_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/text/utf8.hpp"
#include "io/page/sixteen_bits.hpp"

namespace hillock::io::page {

namespace {

using models::Branch;
using models::Point;

Point between(const Point& p, const Point& q, double f) {
  return {p.x_um + f * (q.x_um - p.x_um), p.y_um + f * (q.y_um - p.y_um),
          p.z_um + f * (q.z_um - p.z_um), p.diameter_um + f * (q.diameter_um - p.diameter_um)};
}

double distance(const Point& p, const Point& q) {
  return std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
}

/// One branch's elements, rising, and where one ends and the next begins.
struct Sections {
  std::vector<std::int32_t> elements;
  std::vector<double> ends;  ///< the last one is 1
};

Sections sections_of(std::vector<std::int32_t> on_branch, std::span<const Element> elements) {
  Sections sections;
  const auto position = [&](std::int32_t e) {
    return elements[static_cast<std::size_t>(e)].position;
  };
  std::ranges::stable_sort(on_branch, {}, position);
  for (std::size_t i = 0; i < on_branch.size(); ++i) {
    sections.elements.push_back(on_branch[i]);
    sections.ends.push_back(i + 1 == on_branch.size()
                                ? 1.0
                                : (position(on_branch[i]) + position(on_branch[i + 1])) / 2);
  }
  if (sections.elements.empty()) {
    sections.elements.push_back(-1);
    sections.ends.push_back(1);
  }
  return sections;
}

void put(Pieces& pieces, const Point& from, const Point& to, std::int32_t element,
         std::size_t branch) {
  for (const Point& point : {from, to})
    for (const double value : {point.x_um, point.y_um, point.z_um, point.diameter_um})
      pieces.ends.push_back(static_cast<float>(value));
  pieces.elements.push_back(element);
  pieces.branches.push_back(static_cast<std::uint32_t>(branch));
}

/// Follows a branch's points and its sections at once.
void cut_branch(const Branch& branch, std::size_t number, const Sections& sections, bool bends,
                Pieces& pieces) {
  const double length = models::length_um(branch);
  const auto& points = branch.points;
  if (points.size() < 2) return;
  Point from = points.front();
  std::size_t section = 0;
  double passed = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double piece = distance(points[i - 1], points[i]);
    while (section + 1 < sections.ends.size() &&
           sections.ends[section] * length <= passed + piece) {
      const double f = piece > 0 ? (sections.ends[section] * length - passed) / piece : 1;
      const Point to = between(points[i - 1], points[i], std::clamp(f, 0.0, 1.0));
      put(pieces, from, to, sections.elements[section++], number);
      from = to;
    }
    passed += piece;
    if (!bends && i + 1 < points.size()) continue;
    put(pieces, from, points[i], sections.elements[section], number);
    from = points[i];
  }
}

}  // namespace

models::Morphology spread_out(const models::Morphology& shape) {
  models::Morphology spread = shape;
  const std::size_t count = shape.branches.size();
  std::vector<double> tips(count), begin(count), next(count), width(count);
  for (std::size_t b = count; b-- > 0;) {
    if (tips[b] == 0) tips[b] = 1;
    if (shape.branches[b].parent >= 0)
      tips[static_cast<std::size_t>(shape.branches[b].parent)] += tips[b];
  }
  for (std::size_t b = 0; b < count; ++b) {
    Branch& branch = spread.branches[b];
    const double length = models::length_um(branch);
    Point start{-length / 2, 0, 0, 0};
    begin[b] = -std::numbers::pi;
    width[b] = 2 * std::numbers::pi;
    double angle = 0;
    if (branch.parent >= 0) {
      const auto parent = static_cast<std::size_t>(branch.parent);
      const double all = std::max(1.0, tips[parent]);
      begin[b] = next[parent];
      width[b] = width[parent] * tips[b] / all;
      next[parent] += width[b];
      angle = begin[b] + width[b] / 2;
      const auto& of = spread.branches[parent].points;
      start = between(of.front(), of.back(), branch.at);
    }
    next[b] = begin[b];
    double passed = 0;
    for (std::size_t i = 0; i < branch.points.size(); ++i) {
      if (i > 0) passed += distance(shape.branches[b].points[i - 1], shape.branches[b].points[i]);
      branch.points[i] = {start.x_um + passed * std::cos(angle),
                          start.y_um + passed * std::sin(angle), 0,
                          shape.branches[b].points[i].diameter_um};
    }
  }
  return spread;
}

Pieces cut(const models::Morphology& given, std::span<const Element> elements, std::size_t most) {
  Pieces pieces;
  pieces.is_drawn_up =
      given.branches.size() > 1 && std::ranges::all_of(given.branches, [](const Branch& branch) {
        return std::ranges::all_of(
            branch.points, [](const Point& point) { return point.y_um == 0 && point.z_um == 0; });
      });
  const models::Morphology shape = pieces.is_drawn_up ? spread_out(given) : given;
  std::vector<std::vector<std::int32_t>> by_branch(shape.branches.size());
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (elements[e].branch < by_branch.size())
      by_branch[elements[e].branch].push_back(static_cast<std::int32_t>(e));
  std::size_t with_bends = elements.size();
  for (const Branch& branch : shape.branches) with_bends += branch.points.size();
  for (std::size_t b = 0; b < shape.branches.size(); ++b)
    cut_branch(shape.branches[b], b, sections_of(std::move(by_branch[b]), elements),
               with_bends <= most, pieces);
  return pieces;
}

TreePanel::TreePanel(std::string label, std::size_t first, std::vector<Element> elements,
                     std::uint64_t rows, std::size_t most_values)
    : label_(std::move(label)), first_(first), elements_(std::move(elements)) {
  const std::size_t count = std::max<std::size_t>(1, elements_.size());
  const std::uint64_t frames =
      std::min<std::uint64_t>(rows, std::max<std::size_t>(1, most_values / count));
  for (std::uint64_t f = 0; f < frames; ++f)
    frame_rows_.push_back(frames <= 1 ? 0
                                      : static_cast<std::uint64_t>(std::llround(
                                            static_cast<double>(f) * static_cast<double>(rows - 1) /
                                            static_cast<double>(frames - 1))));
}

void TreePanel::add(std::span<const double> values, std::size_t width) {
  if (width == 0) return;
  for (std::size_t at = 0; at + width <= values.size(); at += width, ++row_) {
    if (next_frame_ == frame_rows_.size() || frame_rows_[next_frame_] != row_) continue;
    ++next_frame_;
    for (std::size_t e = 0; e < elements_.size(); ++e)
      values_.push_back(static_cast<float>(values[at + first_ + e]));
  }
}

Json TreePanel::to_json(Blobs& blobs, const models::Morphology& shape,
                        std::size_t most_pieces) const {
  const Pieces pieces = cut(shape, elements_, most_pieces);
  SixteenBits values;
  quantise(values_, values);
  std::vector<std::string> names;
  for (const Branch& branch : shape.branches) names.push_back(printable(branch.name));
  std::vector<std::uint32_t> rows;
  for (std::size_t f = 0; f < next_frame_; ++f)
    rows.push_back(static_cast<std::uint32_t>(frame_rows_[f]));
  std::vector<float> positions;
  std::vector<std::uint32_t> branches;
  for (const Element& element : elements_) {
    positions.push_back(static_cast<float>(element.position));
    branches.push_back(element.branch);
  }
  return Json::object({{"label", label_},
                       {"elements", elements_.size()},
                       {"drawn_up", pieces.is_drawn_up},
                       {"ends", blobs.add(pieces.ends)},
                       {"piece_elements", blobs.add(pieces.elements)},
                       {"piece_branches", blobs.add(pieces.branches)},
                       {"branch_names", names},
                       {"element_branches", blobs.add(branches)},
                       {"element_positions", blobs.add(positions)},
                       {"frame_rows", blobs.add(rows)},
                       {"values", blobs.add(values.values)},
                       {"low", static_cast<double>(values.low)},
                       {"high", static_cast<double>(values.high)}});
}

}  // namespace hillock::io::page
