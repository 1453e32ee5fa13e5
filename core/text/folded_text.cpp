#include "core/text/folded_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace hillock {

namespace {

constexpr std::size_t usual_columns = 80;
constexpr std::size_t fewest_beside = 24;  // columns of text beside a name

/// What COLUMNS says; 0 when that is no number that lines could have.
std::size_t columns_told() {
  const char* const told = std::getenv("COLUMNS");
  if (!told) return 0;
  const std::string_view text(told);
  std::size_t columns = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool is_number = status == std::errc{} && end == text.data() + text.size();
  return is_number && columns <= 10'000 ? columns : 0;
}

/// One line.
void add_folded(std::string& to, std::string_view line, std::size_t columns, std::size_t indent) {
  if (columns == 0 || columns_of(line) <= columns) {
    to += line;
    return;
  }
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  indent = std::min(indent, columns - columns / 4);
  to += line.substr(0, first);
  std::size_t reached = first;  // columns of the line that is being made
  bool is_begun = false;
  for (std::size_t at = first; at < line.size();) {
    const std::size_t gap_end = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t word_end = std::min(line.find(' ', gap_end), line.size());
    const std::string_view gap = line.substr(at, gap_end - at);
    const std::string_view word = line.substr(gap_end, word_end - gap_end);
    const std::size_t width = columns_of(word);
    if (is_begun && !word.empty() && reached + gap.size() + width > columns) {
      to += '\n';
      to.append(indent, ' ');
      reached = indent;
    } else if (!word.empty()) {
      to += gap;
      reached += gap.size();
    }
    to += word;
    reached += width;
    is_begun = true;
    at = word_end;
  }
}

}  // namespace

std::size_t terminal_columns(int descriptor) {
  if (!::isatty(descriptor)) return 0;
  if (const std::size_t told = columns_told(); told > 0) return told;
  winsize size{};
  const bool is_known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : usual_columns;
}

std::size_t page_columns(int descriptor) {
  if (const std::size_t columns = terminal_columns(descriptor); columns > 0) return columns;
  const std::size_t told = columns_told();
  return told > 0 ? told : usual_columns;
}

std::size_t columns_of(std::string_view text) {
  // Of a code point's bytes all but the first are of this form.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string folded(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  while (true) {
    const std::size_t end = text.find('\n');
    add_folded(lines, text.substr(0, end), columns, indent);
    if (end == text.npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++seen > columns) break;
  return text.substr(0, end);
}

std::string entry(std::string_view name, std::size_t width, std::string_view text,
                  std::size_t columns) {
  const bool is_beside = columns == 0 || columns >= width + fewest_beside;
  std::string line(name);
  if (!is_beside) {
    line += name.empty() ? "    " : "  ";
    line += text;
    return folded(line, columns, 4) + "\n";
  }
  line.append(std::max(width, columns_of(name) + 1) - columns_of(name), ' ');
  line += text;
  return folded(line, columns, width) + "\n";
}

}  // namespace hillock
