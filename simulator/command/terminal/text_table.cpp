#include "simulator/command/terminal/text_table.hpp"

#include <algorithm>

#include "core/text/folded_text.hpp"

namespace hillock::command {

namespace {

constexpr std::size_t gap = 2;             // columns between cells
constexpr std::size_t narrowest = 16;      // that a last column is folded to
constexpr std::size_t indent_of_rest = 4;  // of a row that goes on

using Row = std::vector<std::string>;

std::string padded(const std::string& cell, std::size_t width, Align align) {
  std::string text(align == Align::right ? width - columns_of(cell) : 0, ' ');
  text += cell;
  if (align == Align::left) text.append(width - columns_of(cell), ' ');
  return text;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Cell by cell, a new line where the next does not fit.
std::string flowing(const Row& row, std::size_t columns) {
  std::string text, line;
  for (const std::string& cell : row) {
    if (cell.empty()) continue;
    const std::size_t width = columns_of(cell);
    if (!line.empty() && columns_of(line) + gap + width > columns) {
      text += line + "\n";
      line = std::string(indent_of_rest, ' ') + cell;
    } else {
      if (!line.empty()) line.append(gap, ' ');
      line += cell;
    }
  }
  return folded(text + line, columns, indent_of_rest) + "\n";
}

}  // namespace

std::string table_text(const std::vector<Row>& rows, const std::vector<Align>& alignment,
                       std::size_t columns) {
  std::vector<std::size_t> widths(alignment.size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], columns_of(row[c]));
  std::size_t before_last = 0;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) before_last += widths[c] + gap;
  const std::size_t needed =
      before_last +
      (alignment.back() == Align::left ? std::min(widths.back(), narrowest) : widths.back());
  std::string text;
  for (const Row& row : rows) {
    if (columns > 0 && needed > columns) {
      text += flowing(row, columns);
      continue;
    }
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line.append(gap, ' ');
      line += padded(row[c], widths[c], alignment[c]);
    }
    text += folded(without_end(line), columns, before_last) + "\n";
  }
  return text;
}

}  // namespace hillock::command
