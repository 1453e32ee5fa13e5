#include "mechanisms/nmodl/analyse/verbatim.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace hillock::nmodl {
namespace {

/// Whether the line that begins at `i` is `#include …`.
bool includes_a_file(const std::string& text, std::size_t i) {
  const auto skip_blanks = [&] {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  };
  skip_blanks();
  if (i >= text.size() || text[i] != '#') return false;
  ++i;
  skip_blanks();
  return text.compare(i, 7, "include") == 0;
}

bool take(std::string_view& code, std::string_view word) {
  if (!code.starts_with(word)) return false;
  code.remove_prefix(word.size());
  return true;
}

/// Takes `static const char id[] = "…";`, written without blanks.
bool take_unread_text(std::string_view& code) {
  std::string_view rest = code;
  if (!take(rest, "static")) return false;
  take(rest, "const");
  if (!take(rest, "char")) return false;
  take(rest, "const");
  take(rest, "*");
  const std::size_t equals = rest.find('='), brackets = rest.find("[]=");
  if (equals == std::string_view::npos) return false;
  const std::string_view name = rest.substr(0, std::min(equals, brackets));
  if (name.empty() ||
      !std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }))
    return false;
  rest.remove_prefix(equals);
  if (!take(rest, "=\"")) return false;
  const std::size_t close = rest.find('"');
  if (close == std::string_view::npos) return false;
  rest.remove_prefix(close + 1);
  if (!take(rest, ";")) return false;
  code = rest;
  return true;
}

}  // namespace

std::string doing_code(const std::string& verbatim) {
  const std::string& text = verbatim;
  std::string code;
  const auto skip_line = [&](std::size_t i) {
    // A comment that goes on in the next line is left for the loop to pass over.
    while (i < text.size() && text[i] != '\n' && text.compare(i, 2, "/*") != 0) ++i;
    return i;
  };
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (line_begins && includes_a_file(text, i)) i = skip_line(i);
    if (i >= text.size()) break;
    line_begins = text[i] == '\n';
    if (const std::size_t close = text.find('"', i + 1);
        text[i] == '"' && close != std::string::npos) {
      code += text.substr(i, close + 1 - i);
      i = close;
    } else if (text.compare(i, 2, "//") == 0) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      i = close == std::string::npos ? text.size() : close + 1;
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      code += text[i];
    }
  }
  std::string_view doing = code;
  while (take_unread_text(doing)) {
  }
  return std::string(doing);
}

std::vector<std::string> taken_from_ions(const std::string& code) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = code.find(';', begin), equals = code.find('=', begin);
    if (end == std::string::npos || equals > end) return {};
    std::string name = code.substr(begin, equals - begin);
    if (std::string_view(code).substr(equals + 1, end - equals - 1) != "_ion_" + name) return {};
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

}  // namespace hillock::nmodl
