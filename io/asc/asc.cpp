#include "io/asc/asc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "io/asc/asc_objects.hpp"
#include "io/asc/asc_soma.hpp"
#include "io/morphology/sections.hpp"

namespace hillock::io {

namespace {

/// Contours whose boxes overlap, each with the one before it, are one soma.
std::vector<std::vector<asc::Contour>> somata_of(std::vector<asc::Contour> contours) {
  std::vector<std::vector<asc::Contour>> somata;
  for (asc::Contour& contour : contours) {
    if (somata.empty() || !asc::overlap(asc::box_of(somata.back().back()), asc::box_of(contour)))
      somata.emplace_back();
    somata.back().push_back(std::move(contour));
  }
  return somata;
}

/// A point as a box, with what NEURON allows around it.
asc::Box around(const models::Point& p) {
  constexpr double margin_um = 0.5;
  return {p.x_um - margin_um, p.x_um + margin_um, p.y_um - margin_um, p.y_um + margin_um};
}

bool is_within(const models::Point& p, const std::vector<asc::Contour>& soma) {
  return std::ranges::any_of(soma, [&](const asc::Contour& contour) {
    return asc::overlap(asc::box_of(contour), around(p));
  });
}

/// The soma that a tree joins: the first one around its first point, or else the nearest.
std::size_t soma_of_tree(const models::Point& begin,
                         const std::vector<std::vector<asc::Contour>>& somata) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < somata.size(); ++i) {
    if (is_within(begin, somata[i])) return i;
    const models::Point centre = asc::centre_of(somata[i]);
    const double distance =
        std::hypot(begin.x_um - centre.x_um, begin.y_um - centre.y_um, begin.z_um - centre.z_um);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

/// Leaves the one soma that has trees, which may be any when there are none; false after an error.
bool take_one_soma(asc::Objects& objects, const std::string& file, Diagnostics& diagnostics) {
  auto somata = somata_of(std::move(objects.soma));
  std::optional<std::size_t> taken;
  for (const asc::TreeBranch& branch : objects.branches) {
    if (branch.parent >= 0) continue;
    const std::size_t soma = somata.size() == 1 ? 0 : soma_of_tree(branch.points[0], somata);
    if (taken && *taken != soma) {
      diagnostics.error({file, branch.line, 0},
                        fmt::format("a tree of a second soma: it joins the one that begins on line "
                                    "{}, and others that on line {} (a cell is one tree). Take one "
                                    "of the cells away?",
                                    somata[soma][0].line, somata[*taken][0].line));
      return false;
    }
    taken = soma;
  }
  objects.soma = std::move(somata[taken.value_or(0)]);
  for (std::size_t i = 0; i < somata.size(); ++i) {
    if (i == taken.value_or(0)) continue;
    diagnostics.warning({file, somata[i][0].line, 0},
                        "another soma, which no tree joins, is left out");
  }
  return true;
}

/// Warns where circles that follow one another are no sensible soma.
void warn_of_stack(const std::vector<asc::Contour>& stack, const std::string& file,
                   Diagnostics& diagnostics) {
  double direction = 0;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const auto z = [&](std::size_t j) { return stack[j].points[0].z_um; };
    const auto warn = [&](const char* what) {
      diagnostics.warning({file, stack[i].line, 0}, what);
    };
    if (std::ranges::any_of(stack[i].points,
                            [&](const models::Point& p) { return p.z_um != z(i); }))
      return warn("a contour of the soma lies at several depths, so its area may be wrong");
    if (i == 0) continue;
    const double step = z(i) - z(i - 1);
    if (step == 0) return warn("two contours of the soma lie at one depth");
    if (step * direction < 0)
      return warn("the soma's contours are not in the order of their depths, so its area is wrong");
    direction = step;
  }
}

/// The soma's cable; nothing after an error.
std::optional<Cable> soma_cable(const std::vector<asc::Contour>& contours, const Measures& measures,
                                const std::string& file, Diagnostics& diagnostics) {
  Cable cable;
  cable.type = soma_type;
  cable.line = contours[0].line;
  if (contours.size() > 1) {
    warn_of_stack(contours, file, diagnostics);
    cable.points = asc::soma_of(contours);
  } else {
    auto points = asc::soma_of(contours[0]);
    if (!points) {
      diagnostics.error({file, cable.line, 0}, "the soma's contour encloses no area in x and y");
      return std::nullopt;
    }
    cable.points = std::move(*points);
  }
  for (models::Point& point : cable.points) {
    point.diameter_um = std::max(point.diameter_um, measures.minimum_diameter_um);
    if (point.diameter_um >= smallest_diameter_um) continue;
    diagnostics.error({file, cable.line, 0},
                      "the soma's contour has hardly any width somewhere. Raise it with "
                      "minimum_diameter?");
    return std::nullopt;
  }
  return cable;
}

/// A branch begins where its parent ends, with its own first diameter.
void begin_at(models::Point from, std::vector<models::Point>& points) {
  from.diameter_um = points[0].diameter_um;
  if (!coincide(from, points[0])) points.insert(points.begin(), from);
}

/// NEURON joins every tree to the soma, wherever it begins.
void warn_of_distant_trees(const asc::Objects& objects, const std::string& file,
                           Diagnostics& diagnostics) {
  Sightings outside;
  for (const asc::TreeBranch& branch : objects.branches) {
    if (branch.parent >= 0) continue;
    if (!is_within(branch.points[0], objects.soma)) outside.add(branch.line);
  }
  if (outside.count > 0)
    diagnostics.warning({file, outside.first_line, 0},
                        fmt::format("a tree begins outside of the soma's contour; it joins the "
                                    "middle of the soma as in NEURON ({} in the file)",
                                    outside.count));
}

}  // namespace

models::Morphology read_asc(std::string_view text, const std::string& file,
                            const Measures& measures, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  asc::Objects objects = asc::read_objects(text, file, measures, diagnostics);
  if (diagnostics.error_count() > errors_before) return {};
  const std::string hint =
      objects.unread_soma
          ? fmt::format(
                " (the contour \"{}\" is none: a soma's is called \"CellBody\", \"Cell "
                "Body\" or \"Soma\")",
                *objects.unread_soma)
          : "";
  if (objects.soma.empty() && objects.branches.empty()) {
    diagnostics.error({file, 0, 0},
                      fmt::format("neither a tree nor a soma's contour in the file{}", hint));
    return {};
  }

  std::vector<Cable> cables;
  if (!objects.soma.empty()) {
    if (!take_one_soma(objects, file, diagnostics)) return {};
    auto soma = soma_cable(objects.soma, measures, file, diagnostics);
    if (!soma) return {};
    cables.push_back(std::move(*soma));
    warn_of_distant_trees(objects, file, diagnostics);
  } else if (objects.unread_soma) {
    diagnostics.warning({file, 0, 0}, fmt::format("the cell has no soma{}", hint));
  }
  const int trees_from = static_cast<int>(cables.size());
  for (const asc::TreeBranch& branch : objects.branches) {
    Cable cable;
    cable.type = branch.type;
    cable.line = branch.line;
    cable.points = branch.points;
    if (branch.parent >= 0) {
      cable.parent = trees_from + branch.parent;
      begin_at(objects.branches[branch.parent].points.back(), cable.points);
    } else if (trees_from > 0) {
      cable.parent = 0;
      cable.at = 0.5;
    } else if (!cables.empty()) {
      diagnostics.error({file, branch.line, 0},
                        fmt::format("a second tree (the first begins on line {}), and no soma that "
                                    "joins them: a cell is one tree{}",
                                    cables[0].line, hint));
      return {};
    } else if (cable.points.size() == 1) {
      cable.points = cylinder_of(cable.points[0]);
    }
    cables.push_back(std::move(cable));
  }
  cables = sections_of(std::move(cables), file, diagnostics);
  return name_branches(std::move(cables));
}

}  // namespace hillock::io
