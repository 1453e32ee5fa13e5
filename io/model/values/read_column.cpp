#include "io/model/values/read_column.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/counted.hpp"
#include "io/model/values/placed_rows.hpp"
#include "io/model/values/usual.hpp"

namespace hillock::io {

namespace {

/// Cells whose rows are looked at when the model is read; of more, when they are made.
constexpr std::uint64_t most_cells_looked_at = 10'000'000;

}  // namespace

bool read_row(const std::optional<Item>& item, std::optional<Expression>& to) {
  if (!item) return true;
  const auto text = item->text("an expression of index, as in floor(index / 13)");
  if (!text) return false;
  auto parsed = Expression::parse(*text, Unit{}, {Variable::index, Variable::size});
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    item->error_at(item->node().place_inside(error->offset), error->message);
    return false;
  }
  to = std::move(std::get<Expression>(parsed));
  return true;
}

std::optional<Unit> read_column_unit(const std::optional<Item>& item, const Item& value,
                                     const Slot& slot) {
  if (!item) return slot.unit;
  const auto text = item->text("a unit");
  if (!text) return std::nullopt;
  const auto parsed = parse_unit(*text);
  if (parsed && parsed->dimension == slot.unit.dimension) return parsed;
  item->error(parsed ? fmt::format("{} is the unit of {}; {} must be {}", *text,
                                   describe(parsed->dimension), value.name(),
                                   describe(slot.unit.dimension))
                     : fmt::format("'{}' is not a unit", *text));
  return std::nullopt;
}

namespace {

models::Value made_of(ReadContext& context, const Item& item, models::Column column) {
  const bool is_list = column.file.empty();
  context.columns.push_back({item.place(), item.path(), is_list ? "the list" : column.file,
                             is_list ? "value" : "row", column.values.size(), column.row});
  return {std::move(column), item.place()};
}

/// Which column is meant; nothing after an error.
std::optional<std::size_t> find_column(const std::optional<Item>& name, const Item& value,
                                       const CsvTable& table,
                                       const std::optional<PlaceColumns>& places) {
  if (!name) {
    if (table.columns.size() == 1) return 0;
    if (places && table.columns.size() == 3) return 3 - places->branch - places->position;
    value.error(
        fmt::format("{} has {} columns (name one with column:)", table.file, table.columns.size()));
    return std::nullopt;
  }
  const auto wanted = name->text("the name of a column");
  if (!wanted) return std::nullopt;
  const auto found = table.find(*wanted);
  if (!found)
    name->error(table.header.empty()
                    ? fmt::format("{} has no header line with column names", table.file)
                    : fmt::format("{} has no column '{}' (its columns: {})", table.file, *wanted,
                                  fmt::join(table.header, ", ")));
  return found;
}

/// What is wrong with the rows that cells ask for; empty for nothing. used: [row]
std::string problem_of(const ColumnUse& column, const models::PopulationSlice& cells,
                       const models::Population& population, std::vector<bool>& used) {
  Bindings bindings;
  bindings.size = static_cast<double>(population.size);
  used.resize(column.rows);
  const std::uint64_t end = std::min(cells.end, cells.begin + most_cells_looked_at);
  for (std::uint64_t cell = cells.begin; cell < end; ++cell) {
    bindings.index = static_cast<double>(cell);
    const auto row = models::Column::row_among(column.rows, column.row, bindings);
    if (!row)
      return fmt::format("cell {} of population {} asks for {} {} (whole numbers from 0)", cell,
                         population.name, column.row_word,
                         show(column.row->evaluate(bindings), ""));
    used[*row] = true;
  }
  return "";
}

}  // namespace

std::shared_ptr<const CsvTable> read_csv_table(ReadContext& context, const NamedFile& file) {
  const auto [known, is_new] = context.tables.try_emplace(file.text);
  if (is_new)
    if (auto table = read_csv(*file.text, file.shown, context.diagnostics))
      known->second = std::make_shared<const CsvTable>(std::move(*table));
  return known->second;
}

std::optional<models::Value> read_column(ReadContext& context, const Item& item, const Slot& slot) {
  MapReader map(item, "a CSV column");
  const auto file_item = map.require("csv");
  const auto column_item = map.find("column");
  const auto unit_item = map.find("unit");
  const auto row_item = map.find("row");
  models::Column column;
  if (!map.finish() || !read_row(row_item, column.row)) return std::nullopt;
  const auto unit = read_column_unit(unit_item, item, slot);
  if (!unit) return std::nullopt;
  const auto file = read_named_file(context, *file_item);
  if (!file) return std::nullopt;
  const auto table = read_csv_table(context, *file);
  if (!table) return std::nullopt;
  const auto places = slot.takes_places ? place_columns(*table) : std::nullopt;
  const auto number = find_column(column_item, item, *table, places);
  if (!number) return std::nullopt;
  if (places && row_item) {
    row_item->error(fmt::format(
        "the rows of {} have places on a cell (columns branch and position)", table->file));
    return std::nullopt;
  }
  column.file = file->shown;
  if (!table->header.empty()) column.name = table->header[*number];
  column.values = table->columns[*number];
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    double& value = column.values[row];
    const double as_written = value;
    value = convert(value, *unit, slot.unit);
    if (slot.contain(value)) continue;
    const std::string text = show(as_written, *unit == slot.unit ? slot.unit_text : "");
    item.error_at(table->place(row, *number), limit_problem(slot, value, text));
    return std::nullopt;
  }
  warn_of_unusual(item, slot, column.values, "row");
  if (places) return read_placed_rows(context, item, *table, *places, std::move(column));
  return made_of(context, item, std::move(column));
}

std::optional<models::Value> read_list_of_cells(ReadContext& context, const Item& item,
                                                const Slot& slot) {
  MapReader map(item, "a list of values");
  const auto list_item = map.require("list");
  const auto row_item = map.find("row");
  models::Column column;
  if (!map.finish() || !read_row(row_item, column.row)) return std::nullopt;
  auto values = read_constants(*list_item, slot);
  if (!values) return std::nullopt;
  if (values->empty()) {
    list_item->error("has no values");
    return std::nullopt;
  }
  column.values = std::move(*values);
  return made_of(context, item, std::move(column));
}

void check_columns(const ReadContext& context, const std::vector<ColumnUse>& columns,
                   const models::PopulationSlice& cells) {
  if (!context.populations[cells.population.value].size) return;
  const models::Population& population = context.network.populations[cells.population.value];
  for (const ColumnUse& column : columns) {
    const std::string_view row = column.row_word;
    const std::string has =
        fmt::format("{}: {} has {}", column.path, column.of, counted(column.rows, row));
    if (!column.row) {
      if (column.rows != population.size)
        context.diagnostics.error(
            column.place, fmt::format("{}, but population {} has {} (one {} per cell)", has,
                                      population.name, counted(population.size, "cell"), row));
      continue;
    }
    std::vector<bool> used;
    const std::string problem = problem_of(column, cells, population, used);
    const auto unused = std::ranges::count(used, false);
    if (!problem.empty())
      context.diagnostics.error(column.place, fmt::format("{}, but {}", has, problem));
    else if (unused > 0 && cells.size() <= most_cells_looked_at)
      context.diagnostics.warning(
          column.place,
          fmt::format("{}, of which {} belong to no cell of population {} (the first is {} {})",
                      has, unused, population.name, row,
                      std::ranges::find(used, false) - used.begin()));
  }
}

}  // namespace hillock::io
