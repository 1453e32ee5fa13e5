#include "io/model/mechanisms/read_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/counted.hpp"
#include "io/columns/csv.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// Appends nested lists of numbers in the order of the text; counts: [level] entries of the first
/// list there, which every other list of that level must have.
bool flatten(const Item& item, std::size_t level, std::vector<std::size_t>& counts,
             std::vector<double>& values) {
  if (!item.is_list()) {
    if (level < counts.size())
      return item.wrong_form("a list of values, as its neighbours are"), false;
    const auto value = read_constant(item, Slot::of(""));
    values.push_back(value.value_or(0));
    return value.has_value();
  }
  const std::vector<Item> entries = *item.list("");
  if (entries.empty()) return item.error("is empty"), false;
  if (values.empty()) counts.push_back(entries.size());
  if (level >= counts.size())
    return item.error("must be a number, as its neighbours are, not a list"), false;
  if (entries.size() != counts[level])
    return item.error(fmt::format("must have {}, as the first of these lists, not {}",
                                  counted(counts[level], "value"), entries.size())),
           false;
  return std::ranges::all_of(
      entries, [&](const Item& entry) { return flatten(entry, level + 1, counts, values); });
}

/// One number for each argument; that of a single argument needs no list.
std::optional<std::vector<double>> read_ends(const Item& item, std::size_t arguments) {
  if (arguments > 1 || item.is_list()) return read_constants(item, Slot::of(""), arguments);
  const auto end = read_constant(item, Slot::of(""));
  return end ? std::optional(std::vector{*end}) : std::nullopt;
}

std::optional<GivenTable> read_even(const Item& values, const std::optional<Item>& from,
                                    const std::optional<Item>& to) {
  GivenTable table;
  std::vector<std::size_t> counts;
  if (!values.is_list()) return values.wrong_form("a list of values"), std::nullopt;
  if (!flatten(values, 0, counts, table.values) || !from || !to) return std::nullopt;
  const auto first = read_ends(*from, counts.size()), last = read_ends(*to, counts.size());
  if (!first || !last) return std::nullopt;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 1 && !((*first)[k] < (*last)[k]))
      return to->error(fmt::format("{:.12g} must be more than {:.12g}, where the table begins",
                                   (*last)[k], (*first)[k])),
             std::nullopt;
    table.axes.push_back({static_cast<int>(counts[k]), (*first)[k], (*last)[k]});
  }
  return table;
}

/// Columns x and value, in this order where there is no header.
std::optional<GivenTable> read_sampled_table(ReadContext& context, const Item& item) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const auto csv = read_csv(*file->text, file->shown, context.diagnostics);
  if (!csv) return std::nullopt;
  const bool named = !csv->header.empty();
  const std::optional<std::size_t> x = named ? csv->find("x") : 0;
  const std::optional<std::size_t> value = named ? csv->find("value") : 1;
  if (!x || !value || csv->columns.size() != 2 || csv->rows() == 0)
    return item.error(
               fmt::format("{} must have the columns x and value, and no others", file->shown)),
           std::nullopt;
  const std::vector<double>& points = csv->columns[*x];
  for (std::size_t row = 1; row < csv->rows(); ++row)
    if (!(points[row - 1] < points[row]))
      return item.error_at(csv->place(row),
                           fmt::format("x = {:.12g} must be more than {:.12g} before it",
                                       points[row], points[row - 1])),
             std::nullopt;
  const TableAxis axis{static_cast<int>(csv->rows()), points.front(), points.back(), points};
  return GivenTable{{axis}, csv->columns[*value], {}};
}

std::optional<GivenTable> read_table(ReadContext& context, const Item& item) {
  if (item.is_scalar()) {
    const auto constant = read_constant(item, Slot::of(""));
    return constant ? std::optional(GivenTable{{}, {*constant}, {}}) : std::nullopt;
  }
  if (!item.is_map())
    return item.wrong_form("a number, {values, from, to}, or {csv}"), std::nullopt;
  enum class Form { values, csv };
  static const OneOf<Form> forms{{"values", Form::values}, {"csv", Form::csv}};
  MapReader map(item, "a table");
  const auto chosen = map.one_of(forms);
  const bool is_even = chosen && chosen->meaning == Form::values;
  std::optional<Item> from, to;
  if (is_even) {
    from = map.require("from");
    to = map.require("to");
  } else if (!chosen) {
    map.allow("from");
    map.allow("to");
  }
  if (!map.finish() || !chosen) return std::nullopt;
  return is_even ? read_even(chosen->item, from, to) : read_sampled_table(context, chosen->item);
}

}  // namespace

std::optional<GivenTables> read_tables(ReadContext& context, const Item& item) {
  MapReader map(item, "tables");
  if (!map.is_map()) return std::nullopt;
  GivenTables tables;
  ValueReader read;
  for (const Node::Entry& entry : item.node().entries) {
    auto table = read_table(context, map.child(entry));
    if (!read.note(table)) continue;
    table->place = entry.place();
    tables.emplace(entry.key, std::move(*table));
  }
  return read.result(tables);
}

}  // namespace hillock::io
