#include "io/model/values/number_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::io {

std::vector<double>* NumberTable::find(const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

std::optional<NumberTable> read_hdf5_numbers(ReadContext& context, const Item& hdf5,
                                             const std::optional<Item>& group_item,
                                             std::uint64_t most_rows) {
  const auto group = read_hdf5_group(context, hdf5, group_item);
  if (!group) return std::nullopt;
  try {
    DataFile& file = group->file;
    NumberTable table{
        hdf5, file.path().string() + ", " + group->path, file.children(group->path), {}};
    for (const std::string& name : table.names) {
      auto column = file.column(group->path + name, most_rows);
      if (!column) {
        hdf5.error(fmt::format("{}{} is no dataset of numbers", table.shown, name));
        return std::nullopt;
      }
      table.columns.push_back(std::move(*column));
    }
    return table;
  } catch (const InputOutputError& error) {
    hdf5.error(error.what());
    return std::nullopt;
  }
}

std::optional<NumberTable> read_csv_numbers(ReadContext& context, const Item& csv) {
  const auto file = read_named_file(context, csv);
  const auto table = file ? read_csv_table(context, *file) : nullptr;
  if (!table) return std::nullopt;
  if (table->header.empty()) {
    csv.error(fmt::format("{} has no header line with column names", file->shown));
    return std::nullopt;
  }
  return NumberTable{csv, file->shown, table->header, table->columns};
}

std::optional<NumberTable> read_number_table(ReadContext& context, const Item& item,
                                             const char* what) {
  MapReader map(item, what);
  enum class From { csv, hdf5 };
  static const OneOf<From> sources{{"csv", From::csv}, {"hdf5", From::hdf5}};
  const auto chosen = map.one_of(sources);
  const bool is_hdf5 = chosen && chosen->meaning == From::hdf5;
  const auto group = is_hdf5 ? map.find("group") : std::nullopt;
  if (!map.finish() || !chosen) return std::nullopt;
  return is_hdf5 ? read_hdf5_numbers(context, chosen->item, group)
                 : read_csv_numbers(context, chosen->item);
}

}  // namespace hillock::io
