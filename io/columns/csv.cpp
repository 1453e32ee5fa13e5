#include "io/columns/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/counted.hpp"
#include "core/units/quantity.hpp"
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

CsvReader::CsvReader(const std::string& file, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  table_.file = file;
}

bool CsvReader::take(std::string_view lines) {
  if (line_ == 0) lines = without_byte_order_mark(lines);
  while (!lines.empty())
    if (const std::string_view content = next_line(lines); !content.empty())
      if (!read_row(content)) return false;
  return errors_ == 0;
}

bool CsvReader::pass_over(std::string_view lines) {
  if (line_ == 0) lines = without_byte_order_mark(lines);
  while (!lines.empty()) {
    const std::string_view content = next_line(lines);
    if (content.empty()) continue;
    const bool is_first = is_first_;
    if (is_first && !read_first(content)) return false;
    if (!is_first || table_.header.empty()) ++rows_;
  }
  return errors_ == 0;
}

bool CsvReader::finish() {
  if (errors_ == 0 && rows_ == 0) {
    diagnostics_.error({table_.file, 1, 1}, "the table has no rows of numbers");
    ++errors_;
  }
  return errors_ == 0;
}

void CsvReader::forget_rows() {
  for (auto& column : table_.columns) column.clear();
  table_.lines.clear();
}

/// Without its end; empty where there is nothing to read in it.
std::string_view CsvReader::next_line(std::string_view& lines) {
  const std::size_t end = lines.find('\n');
  std::string_view content = lines.substr(0, end);
  lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  ++line_;
  if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
  const std::string_view trimmed = trim(content);
  return trimmed.empty() || trimmed[0] == '#' ? std::string_view{} : content;
}

/// How many columns there are, and perhaps their names. False after an error that ends reading.
bool CsvReader::read_first(std::string_view content) {
  // Comments may be in any encoding: nobody reads them.
  if (const auto problem = encoding_problem(content)) {
    report(static_cast<std::size_t>(problem->column) - 1, problem->message);
    return false;
  }
  const auto fields = split(content);
  if (fields.size() > most_columns) {
    report(0, fmt::format("more than {} columns", most_columns));
    return false;
  }
  is_first_ = false;
  table_.columns.resize(fields.size());
  if (std::ranges::any_of(fields, is_number_word)) return true;
  for (const auto field : fields) {
    if (table_.find(trim(field)))
      report(static_cast<std::size_t>(field.data() - content.data()),
             fmt::format("two columns are called '{}'", trim(field)));
    table_.header.emplace_back(trim(field));
  }
  return true;
}

/// False when reading ends here.
bool CsvReader::read_row(std::string_view content) {
  if (is_first_) {
    if (!read_first(content)) return false;
    if (!table_.header.empty()) return true;
  }
  const auto fields = split(content);
  if (fields.size() != table_.columns.size())
    return report(0, fmt::format("this row has {} where the first has {}",
                                 counted(fields.size(), "field"), table_.columns.size()));
  if ((values_ += fields.size()) > most_values) {
    report(0, fmt::format("more than {} numbers in one table", most_values));
    return false;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = number_in(fields[i]);
    if (!value && !report(static_cast<std::size_t>(fields[i].data() - content.data()),
                          fmt::format("'{}' is not a finite plain number", trim(fields[i]))))
      return false;
    table_.columns[i].push_back(value.value_or(0));
  }
  table_.lines.push_back(line_);
  ++rows_;
  return true;
}

/// False after the last that is told.
bool CsvReader::report(std::size_t column, std::string problem) {
  if (++errors_ <= most_errors)
    diagnostics_.error({table_.file, line_, static_cast<int>(column) + 1}, std::move(problem));
  return errors_ < most_errors;
}

std::optional<CsvTable> read_csv(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics) {
  CsvReader reader(file, diagnostics);
  reader.table().text = without_byte_order_mark(text);
  if (!reader.take(text) || !reader.finish()) return std::nullopt;
  return std::move(reader.table());
}

}  // namespace hillock::io
