#include "io/columns/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantity.hpp"
#include "io/encoding.hpp"

namespace hillock::io {

namespace {

constexpr std::size_t most_errors = 10;
constexpr std::size_t most_columns = 10'000;
constexpr std::size_t most_values = 50'000'000;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number_in(std::string_view field) {
  const auto quantity = read_quantity(field);
  if (!quantity || !quantity->unit_text.empty() || !std::isfinite(quantity->value))
    return std::nullopt;
  return quantity->value;
}

bool is_number_word(std::string_view field) {
  const std::string_view word = trim(field);
  return word.empty() || word.find_first_of("0123456789") == 0 || word[0] == '-' ||
         word[0] == '+' || word[0] == '.' || word == "nan" || word == "NaN" || word == "inf";
}

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == name) return i;
  return std::nullopt;
}

Place CsvTable::place(std::size_t row, std::size_t column) const {
  std::string_view left = text;
  for (int line = 1; line < lines[row]; ++line) left.remove_prefix(left.find('\n') + 1);
  const auto fields = split(left.substr(0, left.find('\n')));
  const std::string_view field = fields[column];
  const std::size_t blanks = std::min(field.find_first_not_of(" \t"), field.size());
  return {file, lines[row], static_cast<int>(field.data() - left.data() + blanks) + 1};
}

std::optional<CsvTable> read_csv(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics) {
  CsvTable table;
  table.file = file;
  std::size_t errors = 0;
  const auto report = [&](int line, std::size_t column, std::string problem) {
    if (++errors <= most_errors)
      diagnostics.error({file, line, static_cast<int>(column) + 1}, std::move(problem));
    return errors < most_errors;
  };
  text = without_byte_order_mark(text);
  table.text = text;
  bool first = true;
  std::size_t values = 0;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
    const std::string_view trimmed = trim(content);
    if (trimmed.empty() || trimmed[0] == '#') continue;
    const auto fields = split(content);
    if (first) {
      first = false;
      // Comments may be in any encoding: nobody reads them.
      if (const auto problem = encoding_problem(content)) {
        report(line, static_cast<std::size_t>(problem->column) - 1, problem->message);
        return std::nullopt;
      }
      if (fields.size() > most_columns) {
        report(line, 0, fmt::format("more than {} columns", most_columns));
        return std::nullopt;
      }
      table.columns.resize(fields.size());
      bool is_header = true;
      for (const auto field : fields) is_header = is_header && !is_number_word(field);
      if (is_header) {
        for (const auto field : fields) {
          if (table.find(trim(field)))
            report(line, static_cast<std::size_t>(field.data() - content.data()),
                   fmt::format("two columns are called '{}'", trim(field)));
          table.header.emplace_back(trim(field));
        }
        continue;
      }
    }
    if (fields.size() != table.columns.size()) {
      if (!report(line, 0,
                  fmt::format("this row has {} fields where the first has {}", fields.size(),
                              table.columns.size())))
        return std::nullopt;
      continue;
    }
    if ((values += fields.size()) > most_values) {
      report(line, 0, fmt::format("more than {} numbers in one table", most_values));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto value = number_in(fields[i]);
      if (!value && !report(line, static_cast<std::size_t>(fields[i].data() - content.data()),
                            fmt::format("'{}' is not a finite plain number", trim(fields[i]))))
        return std::nullopt;
      table.columns[i].push_back(value.value_or(0));
    }
    table.lines.push_back(line);
  }
  if (errors > 0) return std::nullopt;
  if (table.rows() == 0) {
    diagnostics.error({file, 1, 1}, "the table has no rows of numbers");
    return std::nullopt;
  }
  return table;
}

}  // namespace hillock::io
