#include "io/circuit/types_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/program/whole_file.hpp"
#include "core/text/counted.hpp"
#include "io/circuit/json_files.hpp"
#include "io/encoding.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_types_file = 64u << 20;

struct Field {
  std::string text;
  int column = 0;  ///< in the line, from 1
};

/// Nothing where a quote is not closed.
std::optional<std::vector<Field>> split(std::string_view line) {
  std::vector<Field> fields;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    Field field{"", static_cast<int>(at) + 1};
    if (line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return std::nullopt;
        if (line[at] != '"')
          field.text += line[at];
        else if (at + 1 < line.size() && line[at + 1] == '"')
          field.text += line[++at];
        else
          break;
      }
      ++at;
    } else {
      while (at < line.size() && line[at] != ' ' && line[at] != '\t') field.text += line[at++];
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

/// What writers of such files put where there is no value.
bool means_nothing(const std::string& text) {
  static const std::vector<std::string> words{"",     "NULL", "NONE", "None", "null",
                                              "none", "NaN",  "nan",  "NA",   "N/A"};
  return std::ranges::find(words, text) != words.end();
}

}  // namespace

std::optional<TypesTable> TypesTable::read(const std::filesystem::path& path,
                                           const std::string& id_column, const Place& named_at,
                                           Diagnostics& diagnostics) {
  std::string text;
  if (const std::string problem = read_whole_file(path, largest_types_file, text);
      !problem.empty()) {
    diagnostics.error(named_at, fmt::format("{}: {}", path.string(), problem));
    return std::nullopt;
  }
  TypesTable table;
  table.file_ = path.string();
  std::string_view left = without_byte_order_mark(text);
  std::optional<std::size_t> id_at;
  for (int line = 1; !left.empty(); ++line) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view content = left.substr(0, end);
    left.remove_prefix(std::min(left.size(), end + 1));
    if (content.ends_with('\r')) content.remove_suffix(1);
    const auto fields = split(content);
    const auto refuse = [&](int column, const std::string& problem) {
      diagnostics.error({table.file_, line, column}, problem);
      return std::nullopt;
    };
    if (!fields) return refuse(1, "a quote is not closed");
    if (fields->empty()) continue;
    if (table.columns_.empty()) {
      for (const Field& field : *fields) table.columns_.push_back(field.text);
      const auto found = std::ranges::find(table.columns_, id_column);
      if (found == table.columns_.end()) return refuse(1, "has no column " + id_column);
      id_at = static_cast<std::size_t>(found - table.columns_.begin());
      continue;
    }
    if (fields->size() != table.columns_.size())
      return refuse(1, fmt::format("has {} where the header has {}",
                                   counted(fields->size(), "field"), table.columns_.size()));
    const Field& id = (*fields)[*id_at];
    const auto number = number_in(id.text);
    if (!number || *number < 0 || *number != std::floor(*number) || *number > 1e15)
      return refuse(id.column, fmt::format("'{}' is no {}", id.text, id_column));
    const auto type = static_cast<std::uint64_t>(*number);
    Row row{line, {}};
    for (std::size_t i = 0; i < fields->size(); ++i)
      if (!means_nothing((*fields)[i].text))
        row.values[table.columns_[i]] = {(*fields)[i].text,
                                         {table.file_, line, (*fields)[i].column}};
    if (!table.rows_.emplace(type, std::move(row)).second)
      return refuse(id.column, fmt::format("{} {} is there twice", id_column, type));
  }
  if (!id_at) {
    diagnostics.error({table.file_, 1, 1}, "has no line of columns");
    return std::nullopt;
  }
  return table;
}

bool TypesTable::has_column(const std::string& column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

const TypesTable::Value* TypesTable::find(std::uint64_t type, const std::string& column) const {
  const auto row = rows_.find(type);
  if (row == rows_.end()) return nullptr;
  const auto value = row->second.values.find(column);
  return value == row->second.values.end() ? nullptr : &value->second;
}

Place TypesTable::place(std::uint64_t type) const {
  const auto row = rows_.find(type);
  return {file_, row == rows_.end() ? 0 : row->second.line, row == rows_.end() ? 0 : 1};
}

}  // namespace hillock::io::circuit
