#include "io/model/mechanisms/read_played.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/text/counted.hpp"
#include "io/model/values/number_table.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

constexpr double beyond_ms = 1e15;
constexpr std::uint64_t most_rows = 25'000'000;  // as of a CSV file of two columns

struct Columns {
  std::vector<double> times, values;
};

/// Columns `time` and `value` of a file.
std::optional<Columns> columns_of(std::optional<NumberTable> table) {
  if (!table) return std::nullopt;
  auto* const time = table->find("time");
  auto* const value = table->find("value");
  if (!time || !value)
    return table->item.error(
               fmt::format("{} needs the columns time, in ms, and value", table->shown)),
           std::nullopt;
  return Columns{std::move(*time), std::move(*value)};
}

bool take(const Item& item, const Slot& slot, const Columns& columns, PlayedTable& played) {
  const auto& [times, values] = columns;
  if (times.empty() || times.size() != values.size())
    return item.error(fmt::format("{} and {}", counted(times.size(), "time"),
                                  counted(values.size(), "value"))),
           false;
  played.table.emplace_back(-beyond_ms, values.front());
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (!std::isfinite(times[row]) || times[row] < played.table.back().first)
      return item.error(fmt::format("row {}: times must be numbers, and not fall", row)), false;
    if (!slot.contain(values[row]))
      return item.error(fmt::format(
                 "row {}: {}", row,
                 limit_problem(slot, values[row],
                               played.variable + " = " + show(values[row], slot.unit_text)))),
             false;
    played.table.emplace_back(times[row], values[row]);
  }
  played.table.emplace_back(beyond_ms, values.back());
  return true;
}

}  // namespace

std::optional<PlayedTable> read_played(ReadContext& context, MapReader& map,
                                       const MechanismSignature& signature) {
  const auto variable = map.require("variable");
  const bool is_hdf5 = map.has("hdf5") && !map.has("csv"), is_file = is_hdf5 || map.has("csv");
  const char* const key = is_hdf5 ? "hdf5" : "csv";
  const auto file = map.find(key);
  const auto group = is_hdf5 ? map.find("group") : std::nullopt;
  const auto times = is_file ? map.find("times") : map.require("times");
  const auto values = is_file ? map.find("values") : map.require("values");
  if (!map.finish()) return std::nullopt;
  if (is_file && (times || values))
    return file->error(fmt::format("{} has times and values; write one of them", key)),
           std::nullopt;
  const auto name = variable->text("a parameter");
  if (!name) return std::nullopt;
  const MechanismVariable* const parameter = signature.find(*name);
  if (!parameter || parameter->role == VariableRole::state || parameter->is_pointer)
    return variable->error(fmt::format("{} has no parameter '{}'", signature.name, *name)),
           std::nullopt;
  if (parameter->is_held)
    return variable->error(fmt::format(
               "{}'s {} cannot be played: steps read what was made of it as the run began (they do "
               "not where BREAKPOINT of a .mod file sets it, {} = {})",
               signature.name, *name, *name, *name)),
           std::nullopt;
  const Slot slot = Slot::of(*parameter);
  PlayedTable played{*name, {}};
  std::optional<Columns> columns;
  if (is_file) {
    columns = columns_of(is_hdf5 ? read_hdf5_numbers(context, *file, group, most_rows)
                                 : read_csv_numbers(context, *file));
  } else {
    auto of_times = read_constants(*times, Slot::of("ms"));
    auto of_values = read_constants(*values, slot);
    if (of_times && of_values) columns = Columns{std::move(*of_times), std::move(*of_values)};
  }
  if (!columns || !take(is_file ? *file : *times, slot, *columns, played)) return std::nullopt;
  return played;
}

}  // namespace hillock::io
