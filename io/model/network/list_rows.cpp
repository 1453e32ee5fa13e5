#include "io/model/network/list_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/model/values/row_places.hpp"

namespace hillock::io {

namespace {

constexpr std::size_t most_errors = 10;
constexpr double most_index = std::numeric_limits<std::uint32_t>::max();
const std::vector<std::string> names_of_all{"source", "target", "weight",
                                            "delay",  "branch", "position"};

std::string index_problem(double value, const char* what, const models::PopulationSlice& slice,
                          bool sizes_known) {
  if (value < 0 || value != std::floor(value) || value > 1e15)
    return fmt::format("the {} {:.12g} is not a whole number from 0", what, value);
  if (sizes_known && value >= static_cast<double>(slice.size()))
    return fmt::format("the {} {:.0f} is out of range (the slice has {} cells, counted from 0)",
                       what, value, slice.size());
  if (value > most_index)
    return fmt::format("the {} {:.0f} is beyond {:.0f}, the last that a list can name", what, value,
                       most_index);
  return "";
}

std::string point_problem(double value, const models::PointList& points) {
  if (value >= 0 && value == std::floor(value) && value < static_cast<double>(points.size()))
    return "";
  return fmt::format("the target {:.12g} is no point of {} (it has {}, counted from 0)", value,
                     points.name, points.size());
}

std::string delay_problem(const ReadContext& context, double delay_ms, PopulationId source) {
  if (!std::isfinite(delay_ms))
    return fmt::format("the delay {} is not a finite number", show(delay_ms, "ms"));
  static const Slot slot = delay_slot();
  if (!slot.contain(delay_ms))
    return limit_problem(slot, delay_ms, "the delay " + show(delay_ms, "ms"));
  if (context.run_known && !is_long_enough(context, delay_ms, source))
    return fmt::format("the delay {} is shorter than dt, {}", show(delay_ms, "ms"),
                       show(context.network.run.dt_ms, "ms"));
  return "";
}

void append(std::vector<double>& more, std::vector<double>& to) {
  if (to.capacity() == 0)
    to = std::move(more);
  else
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<double>& RowColumns::operator[](std::size_t number) {
  std::vector<double>* const all[] = {&source, &target, &weight, &delay, &branch, &position};
  return number < std::size(all) ? *all[number] : arguments[number - std::size(all)];
}

std::vector<std::string> row_column_names(const ConnectScope& scope) {
  std::vector<std::string> names = names_of_all;
  for (const EventArgument& argument : scope.arguments) names.push_back(argument.name);
  return names;
}

RowsReader::RowsReader(const ReadContext& context, const ConnectScope& scope)
    : context_(context), scope_(scope) {
  rows_.arguments.resize(scope.arguments.size());
}

bool RowsReader::add(RowColumns& columns, const ReportRow& report) {
  std::size_t errors = 0;
  for (std::size_t row = 0; row < columns.source.size() && errors < most_errors; ++row)
    if (const std::string problem = problem_of(columns, row); !problem.empty()) {
      report(row, problem);
      ++errors;
    }
  if (errors > 0) return false;
  rows_.sources.insert(rows_.sources.end(), columns.source.begin(), columns.source.end());
  if (scope_.points)
    add_points(columns.target);
  else
    rows_.targets.insert(rows_.targets.end(), columns.target.begin(), columns.target.end());
  append(columns.weight, rows_.weights);
  append(columns.delay, rows_.delays_ms);
  rows_.branches.insert(rows_.branches.end(), columns.branch.begin(), columns.branch.end());
  append(columns.position, rows_.positions);
  for (std::size_t a = 0; a < columns.arguments.size(); ++a)
    append(columns.arguments[a], rows_.arguments[a]);
  return true;
}

/// Points have their places, and are on cells.
void RowsReader::add_points(const std::vector<double>& points) {
  const models::PointList& list = *scope_.points;
  for (const double number : points) {
    const auto point = static_cast<std::uint32_t>(number);
    rows_.points.push_back(point);
    rows_.targets.push_back(list.cells[point]);
    if (scope_.is_of_gaps) continue;
    rows_.branches.push_back(list.branches[point]);
    rows_.positions.push_back(list.positions[point]);
  }
}

void RowsReader::expect(double rows, const RowColumns& like) {
  const auto room = static_cast<std::size_t>(std::min<double>(rows, most_listed_rows));
  rows_.sources.reserve(room);
  rows_.targets.reserve(room);
  if (!like.weight.empty()) rows_.weights.reserve(room);
  if (!like.delay.empty()) rows_.delays_ms.reserve(room);
  if (!like.branch.empty()) rows_.branches.reserve(room);
  if (!like.position.empty()) rows_.positions.reserve(room);
  for (std::size_t a = 0; a < like.arguments.size(); ++a)
    if (!like.arguments[a].empty()) rows_.arguments[a].reserve(room);
}

models::ConnectionRows RowsReader::take(std::uint64_t listed) {
  rows_.listed = listed;
  return std::move(rows_);
}

std::string RowsReader::problem_of(const RowColumns& columns, std::size_t row) const {
  std::string problem =
      index_problem(columns.source[row], "source", scope_.from, scope_.sizes_known);
  if (problem.empty() && scope_.points)
    problem = point_problem(columns.target[row], *scope_.points);
  else if (problem.empty())
    problem = index_problem(columns.target[row], "target", scope_.to, scope_.sizes_known);
  if (problem.empty() && !columns.weight.empty()) {
    const double weight = columns.weight[row];
    // Ten million weights are good, and put into words only where one is not.
    if (scope_.weight && !limit_problem(*scope_.weight, weight, "").empty())
      problem = limit_problem(*scope_.weight, weight,
                              "the weight " + show(weight, scope_.weight->unit_text));
  }
  if (problem.empty() && !columns.delay.empty())
    problem = delay_problem(context_, columns.delay[row], scope_.from.population);
  if (problem.empty() && scope_.points && !scope_.is_of_gaps &&
      !(columns.branch.empty() && columns.position.empty()))
    problem = fmt::format("the points of {} have their places: branch and position stand there",
                          scope_.points->name);
  if (problem.empty() && !columns.branch.empty())
    problem = branch_problem(columns.branch[row], scope_.shape);
  if (problem.empty() && !columns.position.empty())
    problem = position_problem(columns.position[row]);
  for (std::size_t a = 0; a < columns.arguments.size() && problem.empty(); ++a)
    if (!columns.arguments[a].empty() && !std::isfinite(columns.arguments[a][row]))
      problem = fmt::format("{} is {}, which is no finite number", scope_.arguments[a].name,
                            columns.arguments[a][row]);
  return problem;
}

}  // namespace hillock::io
