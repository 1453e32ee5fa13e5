#include "io/recorded/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/errors/errors.hpp"

namespace hillock::io::recorded {

namespace {

constexpr std::uint64_t most_branches = 1'000'000;
constexpr std::uint64_t most_points = 10'000'000;
constexpr double farthest_um = 1e9;

struct ShapeColumns {
  std::vector<double> parent, at, pointers;
  std::array<std::vector<double>, 4> points;
};

bool is_whole(double number, double least, double most) {
  return number >= least && number <= most && number == std::floor(number);
}

bool is_tree(const ShapeColumns& columns) {
  const std::size_t branches = columns.parent.size(), points = columns.points[0].size();
  if (columns.at.size() != branches || columns.pointers.size() != branches + 1 ||
      columns.pointers.front() != 0 || columns.pointers.back() != static_cast<double>(points))
    return false;
  for (const auto& column : columns.points)
    if (column.size() != points ||
        !std::ranges::all_of(column, [](double value) { return std::abs(value) <= farthest_um; }))
      return false;
  for (std::size_t b = 0; b < branches; ++b) {
    const double last = b == 0 ? -1 : static_cast<double>(b) - 1;
    if (!is_whole(columns.parent[b], b == 0 ? -1 : 0, last) ||
        !(columns.at[b] >= 0 && columns.at[b] <= 1) ||
        !is_whole(columns.pointers[b + 1], columns.pointers[b] + 2, static_cast<double>(points)))
      return false;
  }
  return true;
}

}  // namespace

std::optional<models::Morphology> read_shape(ConfinedFile& file, const std::string& population) {
  const std::string group = "/morphology/" + population;
  if (file.children(group).empty()) return std::nullopt;
  const auto column = [&](const char* name, std::uint64_t most) {
    return file.column(group + "/" + name, most).value_or(std::vector<double>());
  };
  ShapeColumns columns;
  columns.parent = column("parent", most_branches);
  columns.at = column("at", most_branches);
  columns.pointers = column("point_pointers", most_branches + 1);
  constexpr std::array<const char*, 4> names{"x", "y", "z", "diameter"};
  for (std::size_t i = 0; i < names.size(); ++i) columns.points[i] = column(names[i], most_points);
  if (!is_tree(columns))
    throw InputOutputError(file.path().string(), "the shape in '" + group + "' is no tree");
  const std::vector<std::string> branch_names = file.texts(group + "/names");
  models::Morphology shape;
  for (std::size_t b = 0; b < columns.parent.size(); ++b) {
    models::Branch& branch = shape.branches.emplace_back();
    if (b < branch_names.size()) branch.name = branch_names[b];
    branch.parent = static_cast<int>(columns.parent[b]);
    branch.at = columns.at[b];
    const auto end = static_cast<std::size_t>(columns.pointers[b + 1]);
    for (auto p = static_cast<std::size_t>(columns.pointers[b]); p < end; ++p)
      branch.points.push_back({columns.points[0][p], columns.points[1][p], columns.points[2][p],
                               std::abs(columns.points[3][p])});
  }
  return shape;
}

}  // namespace hillock::io::recorded
