// PARAMETER, CONSTANT, ASSIGNED, STATE, LOCAL at the top level, UNITS, INDEPENDENT, STEPPED.

#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"

namespace hillock::nmodl {

int FileParser::accept_size() {
  if (!tokens_.accept_symbol("[")) return 0;
  const Position position = tokens_.peek().position;
  const int size = tokens_.expect_integer("the size of the array");
  if (size < 1) throw SyntaxError{position, "an array needs at least one element"};
  tokens_.expect_symbol("]", "after the size of the array");
  return size;
}

std::optional<ast::Limits> FileParser::accept_limits() {
  if (!tokens_.accept_symbol("<")) return std::nullopt;
  ast::Limits limits;
  limits.minimum = tokens_.expect_number("the smallest value after '<'");
  if (tokens_.accept_symbol(",")) {
    limits.maximum = tokens_.expect_number("the largest value after ','");
    tokens_.expect_symbol(">", "after the limits");
    return limits;
  }
  tokens_.expect_symbol(">", "after the tolerance");
  return std::nullopt;  // <1e-4> is a tolerance for variable steps
}

bool FileParser::accept_verbatim() {
  if (tokens_.peek().kind != TokenKind::verbatim) return false;
  const Token verbatim = tokens_.take();
  out_.verbatims.push_back({verbatim.position, ast::Verbatim{std::string(verbatim.text)}});
  return true;
}

ast::Declaration FileParser::parse_entry(ast::Declaration::Section section,
                                         const std::string& word) {
  ast::Declaration entry;
  const Token name = tokens_.expect_name("a name or '}' in " + word);
  entry.section = section;
  entry.name = std::string(name.text);
  entry.position = name.position;
  entry.size = accept_size();
  return entry;
}

void FileParser::parse_values(ast::Declaration::Section section) {
  const std::string word(tokens_.take().text);
  tokens_.expect_symbol("{", "after " + word);
  while (!tokens_.accept_symbol("}")) {
    if (accept_verbatim()) continue;
    ast::Declaration entry = parse_entry(section, word);
    if (tokens_.accept_symbol("="))
      entry.value = tokens_.expect_number("a number after '" + entry.name + " ='");
    else if (section == ast::Declaration::Section::constant)
      tokens_.fail_expected("'=' and the value of the constant '" + entry.name + "'");
    entry.unit_position = tokens_.peek().position;
    entry.unit = tokens_.accept_unit();
    entry.limits = accept_limits();
    if (!entry.unit) {
      entry.unit_position = tokens_.peek().position;
      entry.unit = tokens_.accept_unit();
    }
    out_.declarations.push_back(std::move(entry));
  }
}

void FileParser::parse_variables(ast::Declaration::Section section) {
  const std::string word(tokens_.take().text);
  tokens_.expect_symbol("{", "after " + word);
  while (!tokens_.accept_symbol("}")) {
    if (accept_verbatim()) continue;
    ast::Declaration entry = parse_entry(section, word);
    if (tokens_.accept_word("FROM")) {  // bounds of a plot
      tokens_.expect_number("a number after FROM");
      tokens_.expect_word("TO", "after FROM");
      tokens_.expect_number("a number after TO");
    }
    if (tokens_.accept_word("START")) entry.value = tokens_.expect_number("a number after START");
    entry.unit_position = tokens_.peek().position;
    entry.unit = tokens_.accept_unit();
    accept_limits();
    out_.declarations.push_back(std::move(entry));
  }
}

void FileParser::parse_top_level_locals() {
  for (auto& local : parse_locals().names) {
    ast::Declaration entry;
    entry.section = ast::Declaration::Section::local;
    entry.name = std::move(local.name);
    entry.position = local.position;
    entry.size = local.size;
    out_.declarations.push_back(std::move(entry));
  }
}

void FileParser::parse_units() {
  tokens_.take();
  tokens_.expect_symbol("{", "after UNITS");
  while (!tokens_.accept_symbol("}")) {
    const Position position = tokens_.peek().position;
    if (const auto name = tokens_.accept_unit()) {
      tokens_.expect_symbol("=", "after the unit (" + *name + ")");
      const auto definition = tokens_.accept_unit();
      if (!definition) tokens_.fail_expected("a unit in brackets after '='");
      out_.units.push_back({*name, *definition, position});
      continue;
    }
    ast::UnitConstant constant;
    constant.name =
        std::string(tokens_.expect_name("a unit in brackets, a name or '}' in UNITS").text);
    constant.position = position;
    tokens_.expect_symbol("=", "after '" + constant.name + "'");
    constant.definition = tokens_.accept_unit();
    if (!constant.definition)
      constant.value = tokens_.expect_number("a number or a unit in brackets after '='");
    else if (tokens_.accept_symbol("->"))
      constant.is_conversion = true;
    const auto unit = tokens_.accept_unit();
    if (!unit) tokens_.fail_expected("the unit of '" + constant.name + "' in brackets");
    constant.unit = *unit;
    out_.unit_constants.push_back(std::move(constant));
  }
}

/// INDEPENDENT {t FROM 0 TO 1 WITH 1 (ms)}, or v of what was once swept over voltages: of runs that
/// only t varies in there is nothing to keep.
void FileParser::parse_independent() {
  tokens_.take();
  tokens_.expect_symbol("{", "after INDEPENDENT");
  while (!tokens_.accept_symbol("}")) {
    tokens_.accept_word("SWEEP");
    const Token name = tokens_.expect_name("a name or '}' in INDEPENDENT");
    if (name.text != "t" && name.text != "v")
      state_.findings.error(name.position,
                            "the independent variable is t, not '" + std::string(name.text) + "'");
    tokens_.expect_word("FROM", "in INDEPENDENT");
    tokens_.expect_number("a number after FROM");
    tokens_.expect_word("TO", "in INDEPENDENT");
    tokens_.expect_number("a number after TO");
    tokens_.expect_word("WITH", "in INDEPENDENT");
    tokens_.expect_integer("a whole number after WITH");
    if (tokens_.accept_word("START")) tokens_.expect_number("a number after START");
    tokens_.accept_unit();
  }
}

/// STEPPED {q = 1, 2, 3 (mV)}: a parameter that a session stepped through; its first value counts.
void FileParser::parse_stepped() {
  const Token word = tokens_.take();
  tokens_.expect_symbol("{", "after STEPPED");
  while (!tokens_.accept_symbol("}")) {
    ast::Declaration entry;
    const Token name = tokens_.expect_name("a name or '}' in STEPPED");
    entry.section = ast::Declaration::Section::stepped;
    entry.name = std::string(name.text);
    entry.position = name.position;
    tokens_.expect_symbol("=", "after '" + entry.name + "'");
    entry.value = tokens_.expect_number("a number in STEPPED");
    while (tokens_.accept_symbol(",")) tokens_.expect_number("a number in STEPPED");
    entry.unit_position = tokens_.peek().position;
    entry.unit = tokens_.accept_unit();
    out_.declarations.push_back(std::move(entry));
  }
  state_.findings.warning(word.position,
                          "STEPPED is read as PARAMETER with the first of its values");
}

}  // namespace hillock::nmodl
