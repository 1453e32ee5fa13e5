// Reads the `list` connection rule.

#include <fmt/format.h>

#include <cmath>

#include "io/columns/csv.hpp"
#include "io/columns/hdf5_columns.hpp"
#include "io/model/read_connect.hpp"
#include "io/model/time_grid.hpp"

namespace hillock::io {

namespace {

using Pair = models::ConnectionRule::Pair;

constexpr std::size_t most_pairs = 10'000'000;
constexpr std::size_t most_errors = 10;

/// The columns of a list, from whatever file. Empty means not given.
struct Columns {
  std::vector<double> source;
  std::vector<double> target;
  std::vector<double> weight;
  std::vector<double> delay;
};

std::string index_problem(double value, const char* what, const models::PopulationSlice& slice,
                          bool sizes_known) {
  if (value < 0 || value != std::floor(value) || value > 1e15)
    return fmt::format("the {} {:.12g} is not a whole number from 0", what, value);
  if (sizes_known && value >= static_cast<double>(slice.size()))
    return fmt::format("the {} {:.0f} is out of range (the slice has {} cells, counted from 0)",
                       what, value, slice.size());
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

/// Checks rows and makes pairs of them. `report(row, problem)` says where a row stands.
template <class Report>
std::optional<std::vector<Pair>> make_pairs(const ReadContext& context, const Columns& columns,
                                            const ConnectScope& scope, const Report& report) {
  std::vector<Pair> pairs(columns.source.size());
  std::size_t errors = 0;
  for (std::size_t row = 0; row < pairs.size() && errors < most_errors; ++row) {
    Pair& pair = pairs[row];
    std::string problem =
        index_problem(columns.source[row], "source", scope.from, scope.sizes_known);
    if (problem.empty())
      problem = index_problem(columns.target[row], "target", scope.to, scope.sizes_known);
    if (problem.empty() && !columns.weight.empty()) {
      pair.weight = columns.weight[row];
      // Ten million weights are good, and put into words only where one is not.
      if (scope.weight && !limit_problem(*scope.weight, *pair.weight, "").empty())
        problem = limit_problem(*scope.weight, *pair.weight,
                                "the weight " + show(*pair.weight, scope.weight->unit_text));
    }
    if (problem.empty() && !columns.delay.empty()) {
      pair.delay_ms = columns.delay[row];
      problem = delay_problem(context, *pair.delay_ms);
    }
    if (problem.empty()) {
      pair.source = static_cast<std::uint64_t>(columns.source[row]);
      pair.target = static_cast<std::uint64_t>(columns.target[row]);
    } else {
      report(row, problem);
      ++errors;
    }
  }
  if (errors > 0) return std::nullopt;
  return pairs;
}

std::optional<std::vector<Pair>> read_csv_pairs(ReadContext& context, const Item& item,
                                                const ConnectScope& scope) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  auto table = read_csv(*file->text, file->shown, context.diagnostics);
  if (!table) return std::nullopt;
  if (table->rows() > most_pairs) {
    item.error(fmt::format("{} has more than ten million rows", file->shown));
    return std::nullopt;
  }
  static const std::vector<std::string> names{"source", "target", "weight", "delay"};
  Columns columns;
  std::vector<double>* const into[] = {&columns.source, &columns.target, &columns.weight,
                                       &columns.delay};
  if (table->header.empty()) {
    if (table->columns.size() < 2 || table->columns.size() > 4) {
      item.error(
          fmt::format("{} has {} columns (source, target and perhaps weight and delay are"
                      " expected)",
                      file->shown, table->columns.size()));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < table->columns.size(); ++i) *into[i] = std::move(table->columns[i]);
  } else {
    for (std::size_t i = 0; i < table->header.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), table->header[i]);
      if (found == names.end()) {
        item.error(
            fmt::format("{} has an unknown column '{}' (source, target, weight and delay"
                        " are known).{}",
                        file->shown, table->header[i], did_you_mean(table->header[i], names)));
        return std::nullopt;
      }
      *into[found - names.begin()] = std::move(table->columns[i]);
    }
    if (columns.source.empty() || columns.target.empty()) {
      item.error(fmt::format("{} needs the columns source and target", file->shown));
      return std::nullopt;
    }
  }
  return make_pairs(context, columns, scope, [&](std::size_t row, const std::string& problem) {
    item.error_at(table->place(row), problem);
  });
}

std::optional<std::vector<Pair>> read_hdf5_pairs(ReadContext& context, MapReader& map,
                                                 const Item& file_item, const ConnectScope& scope) {
  const std::pair<const char*, std::optional<Item>> items[] = {{"source", map.require("source")},
                                                               {"target", map.require("target")},
                                                               {"weight", map.find("weight")},
                                                               {"delay", map.find("delay")}};
  if (!map.finish()) return std::nullopt;
  const auto file = read_named_file(context, file_item);
  if (!file) return std::nullopt;
  Columns columns;
  std::vector<double>* const into[] = {&columns.source, &columns.target, &columns.weight,
                                       &columns.delay};
  ColumnsRequest request{context.column_reader, *file->text, {}, most_pairs};
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!items[i].second) continue;
    const auto dataset = items[i].second->text("the path of a dataset");
    if (!dataset) return std::nullopt;
    request.datasets.push_back(*dataset);
    given.push_back(i);
  }
  std::vector<std::vector<double>> read;
  if (const std::string problem = read_hdf5_columns(request, read); !problem.empty()) {
    file_item.error(fmt::format("{}: {}", file->shown, problem));
    return std::nullopt;
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<double>& column = *into[given[k]];
    column = std::move(read[k]);
    if (column.size() == columns.source.size()) continue;
    items[given[k]].second->error(
        fmt::format("has {} values where source has {}", column.size(), columns.source.size()));
    return std::nullopt;
  }
  return make_pairs(context, columns, scope, [&](std::size_t row, const std::string& problem) {
    file_item.error(fmt::format("{}, row {}: {}", file->shown, row, problem));
  });
}

std::optional<std::vector<Pair>> read_inline_pairs(ReadContext& context, const Item& item,
                                                   const ConnectScope& scope) {
  const auto entries = item.list("a list of pairs [source, target]");
  if (!entries) return std::nullopt;
  Columns columns;
  for (const auto& entry : *entries) {
    const auto pair = read_constants(entry, Slot::of(""), 2);
    if (!pair) return std::nullopt;
    columns.source.push_back((*pair)[0]);
    columns.target.push_back((*pair)[1]);
  }
  return make_pairs(context, columns, scope, [&](std::size_t row, const std::string& problem) {
    (*entries)[row].error(problem);
  });
}

}  // namespace

std::optional<std::vector<Pair>> read_pairs(ReadContext& context, const Item& item,
                                            const ConnectScope& scope) {
  if (item.is_list()) return read_inline_pairs(context, item, scope);
  static const std::vector<std::string> kinds{"csv", "hdf5", "pairs"};
  MapReader map(item, "a list of connections");
  const auto kind = map.one_of(kinds);
  const auto inner = kind ? map.find(kinds[*kind]) : std::nullopt;
  if (kind && kinds[*kind] == "hdf5") return read_hdf5_pairs(context, map, *inner, scope);
  if (!map.finish() || !inner) return std::nullopt;
  return *kind == 0 ? read_csv_pairs(context, *inner, scope)
                    : read_inline_pairs(context, *inner, scope);
}

}  // namespace hillock::io
