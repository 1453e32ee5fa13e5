#include "bench/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hillock::bench {

namespace {

std::size_t letters(const std::string& text) {  // of UTF-8
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > letters(text) ? width - letters(text) : 0, ' ') + text;
}

std::string printed(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (const Column& column : columns_)
    width_.push_back(std::max(letters(column.name), column.width));
  // A group's name needs room above its columns.
  for (std::size_t first = 0; first < columns_.size();) {
    std::size_t end = first, room = 0, last = first;
    for (; end < columns_.size() && columns_[end].group == columns_[first].group; ++end)
      if (columns_[end].shown) room += width_[last = end] + 2;
    if (room > 0 && room < letters(columns_[first].group) + 2)
      width_[last] += letters(columns_[first].group) + 2 - room;
    first = end;
  }
}

void TextTable::print_head() {
  std::string groups, names, line;
  for (std::size_t first = 0; first < columns_.size();) {
    std::size_t end = first, room = 0;
    for (; end < columns_.size() && columns_[end].group == columns_[first].group; ++end) {
      if (!columns_[end].shown) continue;
      room += width_[end] + 2;
      names += "  " + right(columns_[end].name, width_[end]);
    }
    if (room > 0) {
      const std::string& group = columns_[first].group;
      groups += "  " + group + std::string(room - 2 - letters(group), group.empty() ? ' ' : '.');
    }
    first = end;
  }
  std::printf("%s\n%s\n", groups.c_str(), names.c_str());
}

void TextTable::add(const std::vector<std::string>& cells) {
  if (!headed_) print_head();
  headed_ = true;
  std::string line;
  for (std::size_t c = 0; c < columns_.size() && c < cells.size(); ++c)
    if (columns_[c].shown) line += "  " + right(cells[c], width_[c]);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 1000) return printed("%.0f", value);
  const int decimals = 3 - static_cast<int>(std::floor(std::log10(size)));
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", std::min(decimals, 6), value);
  return text;
}

std::string times(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  return printed(ratio >= 100 ? "%.0fx" : ratio >= 10 ? "%.1fx" : "%.2fx", ratio);
}

std::string percent(double share) {
  return std::isfinite(share) ? printed("%.0f %%", 100 * share) : "-";
}

std::string count(std::size_t number) {
  return std::to_string(number);
}

}  // namespace hillock::bench
