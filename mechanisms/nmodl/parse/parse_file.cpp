// The top level of a .mod file: which block begins, INCLUDE, DEFINE, and going on after errors.

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"
#include "mechanisms/nmodl/parse/keywords.hpp"
#include "mechanisms/nmodl/parse/lexer.hpp"

namespace hillock::nmodl {

namespace {

using ast::BlockKind;

bool declares(std::string_view word) {
  for (const std::string_view block : {"NEURON", "PARAMETER", "CONSTANT", "ASSIGNED", "STATE",
                                       "UNITS", "STEPPED", "LOCAL", "DEFINE", "INCLUDE"})
    if (word == block) return true;
  return false;
}

/// Whether some line begins as one of NMODL does, or there is nothing at all. What the parser says
/// of any other text would be that text's own words.
bool resembles_nmodl(std::string_view source) {
  Findings unheard;
  const std::vector<Token> tokens = lex(source, unheard.add_file(""), unheard);
  return tokens.front().kind == TokenKind::end ||
         std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
           if (token.kind == TokenKind::name)
             return token.first_on_line && (declares(token.text) || opens_block(token.text));
           return token.kind == TokenKind::title || token.kind == TokenKind::verbatim;
         });
}

}  // namespace

FileParser::FileParser(std::string_view source, int file, std::filesystem::path path,
                       ParserState& state)
    : tokens_(source, lex(source, file, state.findings), state.defines),
      file_(file),
      path_(std::move(path)),
      state_(state),
      out_(state.parsed.file) {}

void FileParser::parse_file() {
  while (!tokens_.at_end()) {
    const std::size_t start = tokens_.index();
    const Token first = tokens_.peek();
    try {
      parse_item();
    } catch (const SyntaxError& error) {
      level_ = 0;
      state_.findings.error(error.position, error.message);
      const bool named = first.kind == TokenKind::name;
      if (!named || declares(first.text) || !opens_block(first.text))
        state_.parsed.declarations_complete = false;
      if (named &&
          (first.text == "FUNCTION" || first.text == "PROCEDURE" || first.text == "FUNCTION_TABLE"))
        state_.parsed.declarations_complete = false;  // calls of it would be reported as well
      tokens_.skip_block(start);
      if (tokens_.index() == start) tokens_.take();
    }
  }
}

void FileParser::parse_item() {
  const Token& token = tokens_.peek();
  if (token.kind == TokenKind::title) {
    std::string_view text = tokens_.take().text;
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    if (out_.title.empty()) out_.title = std::string(text);
    return;
  }
  if (accept_verbatim()) return;
  if (token.kind != TokenKind::name) tokens_.fail_expected("a block such as NEURON or PARAMETER");
  const std::string_view word = token.text;
  using Section = ast::Declaration::Section;
  if (word == "NEURON") return parse_neuron();
  if (word == "UNITS") return parse_units();
  if (word == "PARAMETER") return parse_values(Section::parameter);
  if (word == "CONSTANT") return parse_values(Section::constant);
  if (word == "ASSIGNED") return parse_variables(Section::assigned);
  if (word == "STATE") return parse_variables(Section::state);
  if (word == "STEPPED") return parse_stepped();
  if (word == "LOCAL") return parse_top_level_locals();
  if (word == "INDEPENDENT") return parse_independent();
  if (word == "DEFINE") return parse_define();
  if (word == "INCLUDE") return parse_include();
  if (word == "INITIAL") return parse_block(BlockKind::initial, false);
  if (word == "BREAKPOINT" || word == "EQUATION") return parse_block(BlockKind::breakpoint, false);
  if (word == "DERIVATIVE") return parse_block(BlockKind::derivative, true);
  if (word == "KINETIC") return parse_block(BlockKind::kinetic, true);
  if (word == "LINEAR") return parse_block(BlockKind::linear, true);
  if (word == "NONLINEAR") return parse_block(BlockKind::nonlinear, true);
  if (word == "DISCRETE") return parse_block(BlockKind::discrete, true);
  if (word == "CONSTRUCTOR") return parse_block(BlockKind::constructor, false);
  if (word == "DESTRUCTOR") return parse_block(BlockKind::destructor, false);
  if (word == "FUNCTION") return parse_function(BlockKind::function);
  if (word == "PROCEDURE") return parse_function(BlockKind::procedure);
  if (word == "FUNCTION_TABLE") return parse_function(BlockKind::function_table);
  if (word == "NET_RECEIVE") return parse_function(BlockKind::net_receive);
  if (word == "BEFORE" || word == "AFTER") return parse_before_after(word == "BEFORE");
  skip_old_construct();
}

/// What older languages had: ignored with a warning where it only drew or stepped, else refused.
void FileParser::skip_old_construct() {
  const Token word = tokens_.peek();
  const std::string name(word.text);
  if (name == "TERMINAL") {
    tokens_.take();
    parse_body("TERMINAL");
  } else if (name == "PLOT") {
    tokens_.take();
    do {
      parse_variable("a name after PLOT");
    } while (tokens_.accept_symbol(","));
    tokens_.expect_word("VS", "in PLOT");
    parse_variable("a name after VS");
  } else if (name == "MATCH" || name == "PARTIAL" || name == "MODEL_LEVEL") {
    tokens_.fail(name + " is not supported");
  } else {
    tokens_.fail("'" + name + "' begins no block of NMODL");
  }
  state_.findings.warning(word.position, name + " is ignored");
}

void FileParser::parse_define() {
  const Position position = tokens_.take().position;
  const Token name = tokens_.expect_name("a name after DEFINE");
  if (tokens_.peek().kind != TokenKind::number)
    tokens_.fail_expected("a whole number after DEFINE " + std::string(name.text));
  const int value = tokens_.expect_integer("a whole number after DEFINE " + std::string(name.text));
  if (!state_.defines.emplace(std::string(name.text), value).second)
    throw SyntaxError{name.position, "'" + std::string(name.text) + "' is defined twice"};
  out_.defines.push_back({std::string(name.text), value, position});
}

void FileParser::parse_include() {
  tokens_.take();
  if (tokens_.peek().kind != TokenKind::string)
    tokens_.fail_expected("the name of a file in quotes after INCLUDE");
  const Token name = tokens_.take();
  if (state_.include_depth >= 16 || ++state_.included_files > 256)
    throw SyntaxError{name.position, "too many INCLUDEs inside one another"};
  const std::filesystem::path path = path_.parent_path() / std::string(name.text);
  const auto text = state_.include ? state_.include(path) : std::nullopt;
  if (!text)
    throw SyntaxError{name.position,
                      "cannot read the file \"" + std::string(name.text) + "\" that INCLUDE names"};
  if (text->size() > largest_file)
    throw SyntaxError{name.position, "the file \"" + std::string(name.text) +
                                         "\" that INCLUDE names is larger than 4 MiB"};
  if (!resembles_nmodl(*text))
    throw SyntaxError{name.position, "the file \"" + std::string(name.text) +
                                         "\" that INCLUDE names is not NMODL (no line of it begins "
                                         "a block such as PARAMETER or FUNCTION)"};
  const int file = state_.findings.add_file(path.string());
  ++state_.include_depth;
  FileParser(*text, file, path, state_).parse_file();
  --state_.include_depth;
}

void FileParser::parse_block(BlockKind kind, bool has_name) {
  ast::Block block;
  block.kind = kind;
  const Token word = tokens_.take();
  block.position = word.position;
  if (has_name) {
    const Token name = tokens_.expect_name("a name after " + std::string(word.text));
    block.name = std::string(name.text);
    block.position = name.position;
  }
  if (tokens_.accept_word("SOLVEFOR")) block.solve_for = parse_names("a state after SOLVEFOR");
  block.body = parse_body(has_name ? block.name : std::string(word.text));
  out_.blocks.push_back(std::move(block));
}

std::vector<ast::Argument> FileParser::parse_arguments(std::string_view where) {
  tokens_.expect_symbol("(", "after " + std::string(where));
  std::vector<ast::Argument> arguments;
  if (!tokens_.is_symbol(")")) {
    do {
      const Token name = tokens_.expect_name("an argument of " + std::string(where));
      arguments.push_back({std::string(name.text), name.position, tokens_.accept_unit()});
    } while (tokens_.accept_symbol(","));
  }
  tokens_.expect_symbol(")", "after the arguments of " + std::string(where));
  return arguments;
}

void FileParser::parse_function(BlockKind kind) {
  ast::Block block;
  block.kind = kind;
  const Token word = tokens_.take();
  block.position = word.position;
  std::string where(word.text);
  if (kind != BlockKind::net_receive) {
    const Token name = tokens_.expect_name("a name after " + where);
    block.name = std::string(name.text);
    block.position = name.position;
    where = block.name;
  }
  block.arguments = parse_arguments(where);
  if (kind != BlockKind::net_receive) block.unit = tokens_.accept_unit();
  if (kind != BlockKind::function_table) block.body = parse_body(where);
  out_.blocks.push_back(std::move(block));
}

void FileParser::parse_before_after(bool before) {
  ast::Block block;
  block.position = tokens_.take().position;
  const Token moment = tokens_.take();
  if (moment.text == "INITIAL")
    block.kind = before ? BlockKind::before_initial : BlockKind::after_initial;
  else if (before && moment.text == "BREAKPOINT")
    block.kind = BlockKind::before_breakpoint;
  else if (before && moment.text == "STEP")
    block.kind = BlockKind::before_step;
  else if (!before && moment.text == "SOLVE")
    block.kind = BlockKind::after_solve;
  else
    throw SyntaxError{moment.position, before ? "BEFORE is followed by INITIAL, BREAKPOINT or STEP"
                                              : "AFTER is followed by INITIAL or SOLVE"};
  block.body = parse_body(moment.text);
  out_.blocks.push_back(std::move(block));
}

Parsed parse(const std::string& file_name, const std::string& text, const ReadInclude& include,
             Findings& findings) {
  Parsed parsed;
  ParserState state{parsed, findings, include};
  const int file = findings.add_file(file_name);
  if (resembles_nmodl(text)) {
    FileParser(text, file, file_name, state).parse_file();
  } else {
    findings.error({file, 1, 1},
                   "this is not NMODL (no line begins a block such as NEURON or PARAMETER)");
    parsed.declarations_complete = false;
  }
  parsed.file.files = findings.files();
  return parsed;
}

}  // namespace hillock::nmodl
