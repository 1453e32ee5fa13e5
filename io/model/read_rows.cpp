// Reads the `list` connection rule: of one of several ranks a part of the rows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "io/columns/csv.hpp"
#include "io/columns/hdf5_columns.hpp"
#include "io/columns/lines.hpp"
#include "io/model/read_connect.hpp"
#include "io/model/row_places.hpp"
#include "io/model/time_grid.hpp"

namespace hillock::io {

namespace {

constexpr std::size_t most_rows = 10'000'000;
constexpr std::size_t most_errors = 10;
constexpr double most_index = std::numeric_limits<std::uint32_t>::max();

/// Columns of a list, from whatever file. Empty means not given.
struct Columns {
  std::vector<double> source;
  std::vector<double> target;
  std::vector<double> weight;
  std::vector<double> delay;
  std::vector<double> branch;
  std::vector<double> position;
};

const std::vector<std::string> column_names{"source", "target", "weight",
                                            "delay",  "branch", "position"};
/// So many, in this order, need no header.
constexpr std::size_t columns_by_order = 4;

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

std::string delay_problem(const ReadContext& context, double delay_ms) {
  if (!std::isfinite(delay_ms))
    return fmt::format("the delay {} is not a finite number", show(delay_ms, "ms"));
  const double dt = context.network.run.dt_ms;
  static const Slot slot = delay_slot();
  if (!slot.contain(delay_ms))
    return limit_problem(slot, delay_ms, "the delay " + show(delay_ms, "ms"));
  if (context.run_known && delay_ms < dt * (1 - 1e-9))
    return fmt::format("the delay {} is shorter than dt, {}", show(delay_ms, "ms"), show(dt, "ms"));
  return "";
}

/// What is said of a row, by its place among those of a piece.
using ReportRow = std::function<void(std::size_t row, const std::string& problem)>;

/// Checks pieces of a list's rows, one after the other, and keeps them.
class RowsReader {
 public:
  RowsReader(const ReadContext& context, const ConnectScope& scope)
      : context_(context), scope_(scope) {}

  /// The columns may be moved from. False after an error; at most ten are told.
  bool add(Columns& columns, const ReportRow& report) {
    std::size_t errors = 0;
    for (std::size_t row = 0; row < columns.source.size() && errors < most_errors; ++row)
      if (const std::string problem = problem_of(columns, row); !problem.empty()) {
        report(row, problem);
        ++errors;
      }
    if (errors > 0) return false;
    rows_.sources.insert(rows_.sources.end(), columns.source.begin(), columns.source.end());
    rows_.targets.insert(rows_.targets.end(), columns.target.begin(), columns.target.end());
    append(columns.weight, rows_.weights);
    append(columns.delay, rows_.delays_ms);
    rows_.branches.insert(rows_.branches.end(), columns.branch.begin(), columns.branch.end());
    append(columns.position, rows_.positions);
    return true;
  }

  /// Makes room for about so many rows with the columns of these.
  void expect(double rows, const Columns& like) {
    const auto room = static_cast<std::size_t>(std::min<double>(rows, most_rows));
    rows_.sources.reserve(room);
    rows_.targets.reserve(room);
    if (!like.weight.empty()) rows_.weights.reserve(room);
    if (!like.delay.empty()) rows_.delays_ms.reserve(room);
    if (!like.branch.empty()) rows_.branches.reserve(room);
    if (!like.position.empty()) rows_.positions.reserve(room);
  }

  models::ConnectionRows take(std::uint64_t listed) {
    rows_.listed = listed;
    return std::move(rows_);
  }

 private:
  std::string problem_of(const Columns& columns, std::size_t row) const {
    std::string problem =
        index_problem(columns.source[row], "source", scope_.from, scope_.sizes_known);
    if (problem.empty())
      problem = index_problem(columns.target[row], "target", scope_.to, scope_.sizes_known);
    if (problem.empty() && !columns.weight.empty()) {
      const double weight = columns.weight[row];
      // Ten million weights are good, and put into words only where one is not.
      if (scope_.weight && !limit_problem(*scope_.weight, weight, "").empty())
        problem = limit_problem(*scope_.weight, weight,
                                "the weight " + show(weight, scope_.weight->unit_text));
    }
    if (problem.empty() && !columns.delay.empty())
      problem = delay_problem(context_, columns.delay[row]);
    if (problem.empty() && !columns.branch.empty())
      problem = branch_problem(columns.branch[row], scope_.shape);
    if (problem.empty() && !columns.position.empty())
      problem = position_problem(columns.position[row]);
    return problem;
  }

  static void append(std::vector<double>& more, std::vector<double>& to) {
    if (to.capacity() == 0)
      to = std::move(more);
    else
      to.insert(to.end(), more.begin(), more.end());
  }

  const ReadContext& context_;
  const ConnectScope& scope_;
  models::ConnectionRows rows_;
};

Part part_of(const ReadContext& context, const ConnectScope& scope) {
  return scope.needs_all_rows ? Part{} : context.list_part;
}

std::vector<double>& column_of(Columns& columns, std::size_t number) {
  std::vector<double>* const all[] = {&columns.source, &columns.target, &columns.weight,
                                      &columns.delay,  &columns.branch, &columns.position};
  return *all[number];
}

/// A list in a CSV file, which passes by line by line.
class CsvRows {
 public:
  /// bytes: of the lines of the part.
  CsvRows(ReadContext& context, const Item& item, const ConnectScope& scope, std::string shown,
          std::uint64_t bytes)
      : item_(item),
        bytes_(static_cast<double>(bytes)),
        shown_(std::move(shown)),
        csv_(shown_, context.diagnostics),
        rows_(context, scope) {}

  bool add(std::string_view lines, bool is_of_part) {
    if (!(is_of_part ? csv_.take(lines) : csv_.pass_over(lines))) return false;
    if (csv_.rows() == 0) return true;
    if (names_.empty() && !find_columns()) return false;
    if (csv_.rows() > most_rows) {
      item_.error(fmt::format("{} has more than ten million rows", shown_));
      return false;
    }
    Columns columns;
    for (std::size_t i = 0; i < names_.size(); ++i)
      column_of(columns, names_[i]).swap(csv_.table().columns[i]);
    if (std::exchange(is_first_, is_first_ && !is_of_part) && is_of_part)
      rows_.expect(1.02 * static_cast<double>(columns.source.size()) * bytes_ /
                           static_cast<double>(lines.size()) +
                       16,
                   columns);
    const bool good = rows_.add(columns, [&](std::size_t row, const std::string& problem) {
      item_.error_at(csv_.table().place(row), problem);
    });
    csv_.forget_rows();
    return good;
  }

  std::optional<models::ConnectionRows> result() {
    if (!csv_.finish()) return std::nullopt;
    return rows_.take(csv_.rows());
  }

 private:
  /// Which of a list's columns each of the file's is.
  bool find_columns() {
    const CsvTable& table = csv_.table();
    if (table.header.empty()) {
      if (table.columns.size() < 2 || table.columns.size() > columns_by_order) {
        item_.error(
            fmt::format("{} has {} columns (source, target and perhaps weight and delay are"
                        " expected)",
                        shown_, table.columns.size()));
        return false;
      }
      for (std::size_t i = 0; i < table.columns.size(); ++i) names_.push_back(i);
      return true;
    }
    for (const std::string& name : table.header) {
      const auto found = std::ranges::find(column_names, name);
      if (found == column_names.end()) {
        item_.error(
            fmt::format("{} has an unknown column '{}' (source, target, weight, delay,"
                        " branch and position are known).{}",
                        shown_, name, did_you_mean(name, column_names)));
        return false;
      }
      names_.push_back(static_cast<std::size_t>(found - column_names.begin()));
    }
    if (!table.find("source") || !table.find("target"))
      item_.error(fmt::format("{} needs the columns source and target", shown_));
    else if (table.find("branch").has_value() != table.find("position").has_value())
      item_.error(
          fmt::format("{} has one of the columns branch and position (both say where a "
                      "synapse lies)",
                      shown_));
    else
      return true;
    return false;
  }

  const Item& item_;
  double bytes_;
  bool is_first_ = true;  ///< no line of the part has come
  std::string shown_;
  CsvReader csv_;
  RowsReader rows_;
  std::vector<std::size_t> names_;  ///< [column of the file] as in column_of()
};

std::optional<models::ConnectionRows> read_csv_rows(ReadContext& context, const Item& item,
                                                    const ConnectScope& scope) {
  const auto file = open_named_file(context, item);
  if (!file) return std::nullopt;
  const Part part = part_of(context, scope);
  const std::uint64_t size = file->blocks->size();
  CsvRows rows(context, item, scope, file->shown, part.end(size) - part.begin(size));
  bool good = true;
  each_lines(*file->blocks, part, [&](std::string_view lines, bool is_of_part) {
    return good = rows.add(lines, is_of_part);
  });
  return good ? rows.result() : std::nullopt;
}

std::optional<models::ConnectionRows> read_hdf5_rows(ReadContext& context, MapReader& map,
                                                     const Item& file_item,
                                                     const ConnectScope& scope) {
  const std::pair<const char*, std::optional<Item>> items[] = {
      {"source", map.require("source")}, {"target", map.require("target")},
      {"weight", map.find("weight")},    {"delay", map.find("delay")},
      {"branch", map.find("branch")},    {"position", map.find("position")}};
  if (!map.finish()) return std::nullopt;
  if (items[4].second.has_value() != items[5].second.has_value()) {
    map.item().error("names one of branch and position (both say where a synapse lies)");
    return std::nullopt;
  }
  const auto file = open_named_file(context, file_item);
  if (!file) return std::nullopt;
  const Part part = part_of(context, scope);
  ColumnsRequest request{context.column_reader, *file->blocks, {}, most_rows, part};
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < std::size(items); ++i) {
    if (!items[i].second) continue;
    const auto dataset = items[i].second->text("the path of a dataset");
    if (!dataset) return std::nullopt;
    request.datasets.push_back(*dataset);
    given.push_back(i);
  }
  std::vector<ReadColumn> read;
  if (const std::string problem = read_hdf5_columns(request, read); !problem.empty()) {
    file_item.error(fmt::format("{}: {}", file->shown, problem));
    return std::nullopt;
  }
  const std::uint64_t listed = read.front().size;
  Columns columns;
  for (std::size_t k = 0; k < given.size(); ++k) {
    column_of(columns, given[k]) = std::move(read[k].values);
    if (read[k].size == listed) continue;
    items[given[k]].second->error(
        fmt::format("has {} values where source has {}", read[k].size, listed));
    return std::nullopt;
  }
  RowsReader rows(context, scope);
  const bool good = rows.add(columns, [&](std::size_t row, const std::string& problem) {
    file_item.error(fmt::format("{}, row {}: {}", file->shown, part.begin(listed) + row, problem));
  });
  return good ? std::optional(rows.take(listed)) : std::nullopt;
}

std::optional<models::ConnectionRows> read_inline_rows(ReadContext& context, const Item& item,
                                                       const ConnectScope& scope) {
  const auto entries = item.list("a list of pairs [source, target]");
  if (!entries) return std::nullopt;
  const Part part = part_of(context, scope);
  const std::size_t first = part.begin(entries->size());
  Columns columns;
  for (std::size_t i = first; i < part.end(entries->size()); ++i) {
    const auto pair = read_constants((*entries)[i], Slot::of(""), 2);
    if (!pair) return std::nullopt;
    columns.source.push_back((*pair)[0]);
    columns.target.push_back((*pair)[1]);
  }
  RowsReader rows(context, scope);
  const bool good = rows.add(columns, [&](std::size_t row, const std::string& problem) {
    (*entries)[first + row].error(problem);
  });
  return good ? std::optional(rows.take(entries->size())) : std::nullopt;
}

}  // namespace

std::optional<models::ConnectionRows> read_rows(ReadContext& context, const Item& item,
                                                const ConnectScope& scope) {
  if (item.is_list()) return read_inline_rows(context, item, scope);
  static const std::vector<std::string> kinds{"csv", "hdf5", "pairs"};
  MapReader map(item, "a list of connections");
  const auto kind = map.one_of(kinds);
  const auto inner = kind ? map.find(kinds[*kind]) : std::nullopt;
  if (kind && kinds[*kind] == "hdf5") return read_hdf5_rows(context, map, *inner, scope);
  if (!map.finish() || !inner) return std::nullopt;
  return *kind == 0 ? read_csv_rows(context, *inner, scope)
                    : read_inline_rows(context, *inner, scope);
}

}  // namespace hillock::io
