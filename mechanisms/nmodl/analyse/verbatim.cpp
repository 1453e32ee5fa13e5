#include "mechanisms/nmodl/analyse/verbatim.hpp"

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
    if (text.compare(i, 2, "//") == 0) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      i = close == std::string::npos ? text.size() : close + 1;
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      code += text[i];
    }
  }
  return code == "return0;" || code == "return;" ? "" : code;
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
