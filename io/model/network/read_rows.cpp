// Reads the `list` connection rule: of one of several ranks a part of the rows.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/counted.hpp"
#include "io/columns/csv.hpp"
#include "io/columns/hdf5_columns.hpp"
#include "io/columns/lines.hpp"
#include "io/model/network/list_rows.hpp"

namespace hillock::io {

namespace {

/// So many columns, in the order of their names, need no header.
constexpr std::size_t columns_by_order = 4;

Part part_of(const ReadContext& context, const ConnectScope& scope) {
  return scope.is_of_gaps ? Part{} : context.list_part;
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
        scope_(scope),
        csv_(shown_, context.diagnostics),
        rows_(context, scope) {}

  bool add(std::string_view lines, bool is_of_part) {
    if (!(is_of_part ? csv_.take(lines) : csv_.pass_over(lines))) return false;
    if (csv_.rows() == 0) return true;
    if (names_.empty() && !find_columns()) return false;
    if (csv_.rows() > most_listed_rows) {
      item_.error(fmt::format("{} has more than ten million rows", shown_));
      return false;
    }
    RowColumns columns(scope_);
    for (std::size_t i = 0; i < names_.size(); ++i)
      columns[names_[i]].swap(csv_.table().columns[i]);
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
    const std::vector<std::string> known = row_column_names(scope_);
    for (const std::string& name : table.header) {
      const auto found = std::ranges::find(known, name);
      if (found == known.end()) {
        item_.error(fmt::format("{} has an unknown column '{}' ({} are known).{}", shown_, name,
                                fmt::join(known, ", "), did_you_mean(name, known)));
        return false;
      }
      names_.push_back(static_cast<std::size_t>(found - known.begin()));
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
  const ConnectScope& scope_;
  CsvReader csv_;
  RowsReader rows_;
  std::vector<std::size_t> names_;  ///< [column of the file] as in row_column_names()
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
  std::vector<std::optional<Item>> items;  // as in row_column_names()
  for (const std::string& name : row_column_names(scope))
    items.push_back(items.size() < 2 ? map.require(name) : map.find(name));
  if (!map.finish()) return std::nullopt;
  if (map.has("branch") != map.has("position")) {
    map.item().error("names one of branch and position (both say where a synapse lies)");
    return std::nullopt;
  }
  const Part part = part_of(context, scope);
  std::vector<std::string> datasets;
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i]) continue;
    const auto dataset = items[i]->text("the path of a dataset");
    if (!dataset) return std::nullopt;
    datasets.push_back(*dataset);
    given.push_back(i);
  }
  auto file = read_file_columns(context, file_item, datasets, most_listed_rows, part);
  if (!file) return std::nullopt;
  std::vector<ReadColumn>& read = file->columns;
  const std::uint64_t listed = read.front().size;
  RowColumns columns(scope);
  for (std::size_t k = 0; k < given.size(); ++k) {
    columns[given[k]] = std::move(read[k].values);
    if (read[k].size == listed) continue;
    items[given[k]]->error(
        fmt::format("has {} where source has {}", counted(read[k].size, "value"), listed));
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
  RowColumns columns(scope);
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
  enum class From { csv, hdf5, pairs };
  static const OneOf<From> sources{
      {"csv", From::csv}, {"hdf5", From::hdf5}, {"pairs", From::pairs}};
  MapReader map(item, "a list of connections");
  const auto chosen = map.one_of(sources);
  if (chosen && chosen->meaning == From::hdf5)
    return read_hdf5_rows(context, map, chosen->item, scope);
  if (!map.finish() || !chosen) return std::nullopt;
  return chosen->meaning == From::csv ? read_csv_rows(context, chosen->item, scope)
                                      : read_inline_rows(context, chosen->item, scope);
}

}  // namespace hillock::io
