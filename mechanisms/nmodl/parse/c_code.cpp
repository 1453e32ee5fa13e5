#include "mechanisms/nmodl/parse/c_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "mechanisms/nmodl/parse/token_stream.hpp"

namespace hillock::nmodl::c {
namespace {

enum class Word {
  name,
  number,
  text,
  symbol,
  directive,  ///< a line of the preprocessor, but for #include
  end,
};

struct CToken {
  Word kind = Word::end;
  std::string_view text;
  Position position;
  double value = 0;
  bool is_whole = false;
};

constexpr auto c_symbols = std::to_array<std::string_view>(
    {"<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
     "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "++", "--", "->"});

constexpr auto type_words = std::to_array<std::string_view>(
    {"double", "int",    "float",  "char",   "void",    "long",    "short",    "unsigned",
     "signed", "struct", "union",  "enum",   "static",  "const",   "volatile", "register",
     "auto",   "FILE",   "Object", "Symbol", "Section", "IvocVect"});

/// What may stand among what is printed: it changes nothing.
constexpr auto harmless = std::to_array<std::string_view>(
    {"exp", "log", "log10", "sqrt", "fabs", "pow", "floor", "ceil", "sin", "cos", "tan", "secname",
     "hoc_object_name", "gargstr", "strlen"});

constexpr std::size_t longest_shown = 100;  ///< of a word in a message

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_digit_of_c(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_of_c(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit_of_c(c);
}

class CLexer {
 public:
  CLexer(std::string_view text, Position begin) : text_(text), position_(begin) {}

  std::vector<CToken> run() {
    std::vector<CToken> tokens;
    while (true) {
      skip_blanks();
      CToken token{Word::end, {}, position_};
      if (at_ == text_.size()) {
        tokens.push_back(token);
        return tokens;
      }
      const std::size_t start = at_;
      const char c = text_[at_];
      if (c == '#' && line_begins_) {
        directive();
        token.kind = Word::directive;
        if (name_of_directive(text_.substr(start, at_ - start)).first == "include") continue;
      } else if (is_digit_of_c(c) || (c == '.' && is_digit_of_c(ahead(1)))) {
        number(token);
      } else if (is_word_of_c(c)) {
        while (at_ < text_.size() && is_word_of_c(text_[at_])) step();
        token.kind = Word::name;
      } else if (c == '"' || c == '\'') {
        text(c);
        token.kind = Word::text;
      } else {
        const auto found = std::ranges::find_if(
            c_symbols, [&](std::string_view s) { return text_.substr(at_, s.size()) == s; });
        for (std::size_t n = found == c_symbols.end() ? 1 : found->size(); n > 0; --n) step();
        while ((static_cast<unsigned char>(ahead(0)) & 0xC0) == 0x80) step();  // of UTF-8
        token.kind = Word::symbol;
      }
      line_begins_ = token.kind == Word::directive;
      token.text = text_.substr(start, at_ - start);
      tokens.push_back(token);
    }
  }

  /// ("define", "NAME") of `# define NAME …`.
  static std::pair<std::string_view, std::string_view> name_of_directive(std::string_view line) {
    const auto word = [&] {
      while (!line.empty() && !is_word_of_c(line[0]) &&
             (line[0] == '#' || line[0] == ' ' || line[0] == '\t'))
        line.remove_prefix(1);
      std::size_t length = 0;
      while (length < line.size() && is_word_of_c(line[length])) ++length;
      const std::string_view first = line.substr(0, length);
      line.remove_prefix(length);
      return first;
    };
    const std::string_view what = word();
    return {what, word()};
  }

 private:
  char ahead(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void step() {
    const char c = text_[at_++];
    ++position_.column;
    if (c == '\n' || (c == '\r' && ahead(0) != '\n')) {
      ++position_.line;
      position_.column = 1;
      line_begins_ = true;
    }
  }

  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/' && ahead(1) == '/') {
        while (!at_line_end()) step();
      } else if (c == '/' && ahead(1) == '*') {
        comment();
      } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
        step();
      } else {
        return;
      }
    }
  }

  void comment() {
    const Position begin = position_;
    step(), step();
    while (at_ < text_.size() && !(text_[at_] == '*' && ahead(1) == '/')) step();
    if (at_ == text_.size()) throw SyntaxError{begin, "a comment does not end"};
    step(), step();
  }

  void directive() {
    while (!at_line_end()) {
      if (text_[at_] == '/' && ahead(1) == '*') return;  // a comment may go on in the next line
      if (text_[at_] == '\\' && (ahead(1) == '\n' || ahead(1) == '\r')) step();
      step();
    }
  }

  void text(char quote) {
    const Position begin = position_;
    step();
    while (!at_line_end() && text_[at_] != quote) {
      if (text_[at_] == '\\' && ahead(1) != '\0') step();
      step();
    }
    if (at_line_end()) throw SyntaxError{begin, "a text does not end on its line"};
    step();
  }

  void number(CToken& token) {
    const std::size_t start = at_;
    token.kind = Word::number;
    token.is_whole = true;
    const auto digits = [&] {
      while (is_digit_of_c(ahead(0))) step();
    };
    digits();
    if (ahead(0) == '.') {
      token.is_whole = false;
      step();
      digits();
    }
    if ((ahead(0) == 'e' || ahead(0) == 'E') &&
        (is_digit_of_c(ahead(1)) ||
         ((ahead(1) == '+' || ahead(1) == '-') && is_digit_of_c(ahead(2))))) {
      token.is_whole = false;
      step(), step();
      digits();
    }
    const std::string_view word = text_.substr(start, at_ - start);
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), token.value);
    const bool is_octal = token.is_whole && word.size() > 1 && word[0] == '0';
    constexpr double largest_int = 2147483647;
    if (status != std::errc{} || is_word_of_c(ahead(0)) || is_octal ||
        (token.is_whole && token.value > largest_int))
      token.kind = Word::symbol;  // a number of another kind, which nobody takes
    while (is_word_of_c(ahead(0))) step();
  }

  std::string_view text_;
  Position position_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
};

struct CBinary {
  std::string_view symbol;
  int strength;
};
constexpr auto c_operators = std::to_array<CBinary>({{"||", 1},
                                                     {"&&", 2},
                                                     {"==", 3},
                                                     {"!=", 3},
                                                     {"<", 4},
                                                     {">", 4},
                                                     {"<=", 4},
                                                     {">=", 4},
                                                     {"+", 5},
                                                     {"-", 5},
                                                     {"*", 6},
                                                     {"/", 6},
                                                     {"%", 6}});
constexpr auto c_assignments = std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "%="});

class CParser {
 public:
  explicit CParser(std::vector<CToken> tokens) : tokens_(std::move(tokens)) {}

  std::vector<Statement> run() {
    std::vector<Statement> all;
    while (peek().kind != Word::end) statement(all);
    return all;
  }

 private:
  /// Brackets, statements and operators within one another, no deeper than a stack is.
  struct Level {
    explicit Level(CParser& parser) : parser_(parser) {
      constexpr int deepest = 150;
      if (parser.level_ >= deepest) parser.fail("it is nested too deeply");
      ++parser.level_;
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    CParser& parser_;
  };

  const CToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  CToken take() {
    const CToken token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).text == text && peek(ahead).kind != Word::text;
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(std::string message) const {
    throw SyntaxError{peek().position, std::move(message)};
  }
  [[noreturn]] void fail_at_word() const {
    const CToken& token = peek();
    if (token.kind == Word::end) fail("it ends too early");
    if (token.kind == Word::text) fail("a text");
    const bool is_line = token.kind == Word::directive;
    fail("'" +
         (is_line ? "#" + std::string(CLexer::name_of_directive(token.text).first)
                  : std::string(token.text.substr(0, longest_shown))) +
         "' is not taken");
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail_at_word();
  }
  std::string expect_name() {
    if (peek().kind != Word::name) fail_at_word();
    return std::string(take().text);
  }

  /// Adds what the next statement does.
  void statement(std::vector<Statement>& to) {
    const Level level(*this);
    if (accept(";")) return;
    Statement made;
    made.position = peek().position;
    if (is("extern")) return foreign(to);
    if (peek().kind == Word::name && is_one_of(peek().text, type_words)) return declaration(to);
    if (prints()) return;
    if (is("{")) {
      made.kind = StatementKind::block;
      made.body = braced();
    } else if (accept("if")) {
      made.kind = StatementKind::branch;
      made.value = bracketed();
      made.body = one();
      if (accept("else")) made.otherwise = one();
    } else if (accept("while")) {
      made.kind = StatementKind::loop;
      made.value = bracketed();
      made.body = round();
    } else if (accept("do")) {
      made.kind = StatementKind::do_loop;
      made.body = round();
      expect("while");
      made.value = bracketed();
      expect(";");
    } else if (accept("for")) {
      return for_loop(std::move(made), to);
    } else if (accept("switch")) {
      return choices(std::move(made), to);
    } else if (accept("return")) {
      made.kind = StatementKind::leave;
      if (!is(";")) made.value = expression();
      expect(";");
    } else if (is("break") || is("continue")) {
      if (inside_.empty() || (inside_.back() == 's' && is("break"))) fail_at_word();
      made.kind = take().text == "break" ? StatementKind::leave_loop : StatementKind::next_round;
      expect(";");
    } else {
      made.value = expression();
      expect(";");
    }
    to.push_back(std::move(made));
  }

  std::vector<Statement> one() {
    std::vector<Statement> all;
    statement(all);
    return all;
  }

  std::vector<Statement> round() {
    inside_.push_back('l');
    std::vector<Statement> all = one();
    inside_.pop_back();
    return all;
  }

  std::vector<Statement> braced() {
    std::vector<Statement> all;
    expect("{");
    while (!is("}")) {
      if (peek().kind == Word::end) fail_at_word();
      statement(all);
    }
    take();
    return all;
  }

  Expression bracketed() {
    expect("(");
    Expression value = expression();
    expect(")");
    return value;
  }

  /// for (first; value; step) body
  void for_loop(Statement made, std::vector<Statement>& to) {
    Statement all;
    all.kind = StatementKind::block;
    all.position = made.position;
    made.kind = StatementKind::loop;
    expect("(");
    if (peek().kind == Word::name && is_one_of(peek().text, type_words)) {
      declaration(all.body);
    } else {
      if (!is(";")) listed(all.body);
      expect(";");
    }
    if (!is(";")) made.value = expression();
    expect(";");
    if (!is(")")) listed(made.step);
    expect(")");
    made.body = round();
    all.body.push_back(std::move(made));
    to.push_back(std::move(all));
  }

  /// a = 1, b = 2
  void listed(std::vector<Statement>& to) {
    do {
      Statement made;
      made.position = peek().position;
      made.value = expression();
      to.push_back(std::move(made));
    } while (accept(","));
  }

  /// switch whose cases all end by break, as one if after the other.
  void choices(Statement made, std::vector<Statement>& to) {
    const Expression value = bracketed();
    std::vector<Statement> cases;
    expect("{");
    while (!accept("}")) {
      Statement branch;
      branch.kind = StatementKind::branch;
      branch.position = peek().position;
      if (!cases.empty() && !cases.back().value) fail("a case behind default");
      bool is_default = false;
      do {
        is_default = is_default || is("default");
        if (accept("default")) {
          branch.value.reset();
        } else {
          expect("case");
          const Expression label = unary();
          Expression same = combined(ExpressionKind::binary, "==", label.position, {value, label});
          if (!is_default && branch.value)
            branch.value = combined(ExpressionKind::binary, "||", label.position,
                                    {*branch.value, std::move(same)});
          else if (!is_default)
            branch.value = std::move(same);
        }
        expect(":");
      } while (is("case") || is("default"));
      inside_.push_back('s');
      while (!is("break") && !is("}")) {
        if (is("case") || is("default")) fail("a case that goes on into the next");
        if (peek().kind == Word::end) fail_at_word();
        statement(branch.body);
      }
      inside_.pop_back();
      if (accept("break")) expect(";");
      cases.push_back(std::move(branch));
    }
    std::vector<Statement> rest;
    for (auto at = cases.rbegin(); at != cases.rend(); ++at) {
      Statement& branch = *at;
      branch.otherwise = std::move(rest);
      rest.clear();
      if (branch.value) {
        rest.push_back(std::move(branch));
      } else {
        rest = std::move(branch.body);
      }
    }
    made.kind = StatementKind::block;
    made.body = std::move(rest);
    to.push_back(std::move(made));
  }

  /// Behind the bracket that closes the one at hand.
  void skip_brackets() {
    int depth = 0;
    do {
      if (peek().kind == Word::end) fail_at_word();
      depth += is("(") - is(")");
      take();
    } while (depth > 0);
  }

  /// extern double f(), x;
  void foreign(std::vector<Statement>& to) {
    take();
    while (!accept(";")) {
      if (peek().kind == Word::end || is("{") || is("=")) fail_at_word();
      if (is("(")) {
        skip_brackets();
      } else if (peek().kind == Word::name && (is(",", 1) || is(";", 1) || is("[", 1))) {
        Statement made;
        made.kind = StatementKind::foreign;
        made.position = peek().position;
        made.name = std::string(take().text);
        to.push_back(std::move(made));
      } else {
        take();
      }
    }
  }

  /// Whether a text follows that nobody can read: static const char id[] = "…";
  bool unread_text() {
    std::size_t i = 0;
    bool is_text = false;
    while (peek(i).kind == Word::name || is("*", i) || is("[", i) || is("]", i)) {
      is_text = is_text || is("char", i);
      ++i;
    }
    if (!is_text || !is("static") || !is("=", i) || peek(i + 1).kind != Word::text ||
        !is(";", i + 2))
      return false;
    at_ += i + 3;
    return true;
  }

  /// double f(int);
  bool function() {
    const std::size_t begin = at_;
    while (peek().kind == Word::name || is("*")) take();
    if (at_ > begin + 1 && is("(") && !is("*", 1)) {
      skip_brackets();
      if (accept(";")) return true;
    }
    at_ = begin;
    return false;
  }

  void declaration(std::vector<Statement>& to) {
    if (unread_text() || function()) return;
    const bool is_whole = is("int");
    if (!is_whole && !is("double"))
      fail("'" + std::string(peek().text) + "' declares what is no double and no int");
    take();
    do {
      Statement made;
      made.kind = StatementKind::declaration;
      made.position = peek().position;
      made.is_whole = is_whole;
      made.name = expect_name();
      if (accept("[")) {
        const CToken size = take();
        constexpr double largest = 10000;
        if (size.kind != Word::number || !size.is_whole || size.value < 1 || size.value > largest)
          throw SyntaxError{size.position, "an array of a size that is no number"};
        made.size = static_cast<int>(size.value);
        expect("]");
      }
      if (made.size == 0 && accept("=")) made.value = expression();
      to.push_back(std::move(made));
    } while (accept(","));
    expect(";");
  }

  /// Takes what prints to the terminal, or asks whether all is well, and does nothing else.
  bool prints() {
    const bool to_file = is("fprintf") || is("fflush");
    const bool in_any_case = is("printf") || is("puts") || is("assert");
    if ((!to_file && !in_any_case) || !is("(", 1)) return false;
    if (to_file && !is("stderr", 2) && !is("stdout", 2) && !is("NULL", 2)) return false;
    take();
    int depth = 0;
    do {
      const bool ends = peek().kind == Word::end || peek().kind == Word::directive;
      const bool calls =
          peek().kind == Word::name && is("(", 1) && !is_one_of(peek().text, harmless);
      const bool assigns = peek().kind == Word::symbol &&
                           (is_one_of(peek().text, c_assignments) || is("++") || is("--"));
      if (ends || calls || assigns || is("{") || is("}")) fail_at_word();
      depth += is("(") - is(")");
      take();
    } while (depth > 0);
    expect(";");
    return true;
  }

  static Expression combined(ExpressionKind kind, std::string_view name, Position position,
                             std::vector<Expression> operands) {
    Expression made;
    made.kind = kind;
    made.name = std::string(name);
    made.position = position;
    made.operands = std::move(operands);
    return made;
  }

  static std::vector<Expression> both(Expression a, Expression b) {
    std::vector<Expression> operands;
    operands.push_back(std::move(a));
    operands.push_back(std::move(b));
    return operands;
  }

  Expression expression() {
    const Level level(*this);
    Expression left = choice();
    if (!is_one_of(peek().text, c_assignments) || peek().kind != Word::symbol) return left;
    const CToken token = take();
    return combined(ExpressionKind::assignment, token.text, token.position,
                    both(std::move(left), expression()));
  }

  Expression choice() {
    Expression condition = binary(1);
    if (!is("?")) return condition;
    const Position position = take().position;
    std::vector<Expression> operands = both(std::move(condition), expression());
    expect(":");
    operands.push_back(choice());
    return combined(ExpressionKind::choice, "?", position, std::move(operands));
  }

  Expression binary(int least) {
    const Level level(*this);
    Expression left = unary();
    while (peek().kind == Word::symbol) {
      const auto found = std::ranges::find(c_operators, peek().text, &CBinary::symbol);
      if (found == c_operators.end() || found->strength < least) break;
      const CToken token = take();
      Expression right = binary(found->strength + 1);
      left = combined(ExpressionKind::binary, token.text, token.position,
                      both(std::move(left), std::move(right)));
    }
    return left;
  }

  Expression unary() {
    const Level level(*this);
    const CToken token = peek();
    if (is("-") || is("+") || is("!")) {
      take();
      std::vector<Expression> operand;
      operand.push_back(unary());
      return combined(ExpressionKind::unary, token.text, token.position, std::move(operand));
    }
    if (is("++") || is("--")) {
      take();
      return moved(unary(), token);
    }
    if (is("*") && is("getarg", 1)) take();  // hoc's arguments, by their number
    if (is("(") && (is("int", 1) || is("double", 1)) && is(")", 2)) {
      const std::string_view type = peek(1).text;
      at_ += 3;
      std::vector<Expression> operand;
      operand.push_back(unary());
      return combined(ExpressionKind::cast, type, token.position, std::move(operand));
    }
    Expression made = primary();
    if (is("++") || is("--")) {
      const CToken sign = take();
      made = moved(std::move(made), sign);
    }
    return made;
  }

  static Expression moved(Expression what, const CToken& sign) {
    Expression by;
    by.position = sign.position;
    by.value = 1;
    by.is_whole = true;
    return combined(ExpressionKind::assignment, sign.text == "++" ? "+=" : "-=", sign.position,
                    both(std::move(what), std::move(by)));
  }

  Expression primary() {
    const CToken token = peek();
    Expression made;
    made.position = token.position;
    if (token.kind == Word::number) {
      take();
      made.value = token.value;
      made.is_whole = token.is_whole;
      return made;
    }
    if (token.kind == Word::text) {
      take();
      made.kind = ExpressionKind::text;
      return made;
    }
    if (accept("(")) {
      made = expression();
      expect(")");
      return made;
    }
    if (is_one_of(token.text, type_words)) fail_at_word();
    made.name = expect_name();
    made.kind = ExpressionKind::variable;
    if (accept("[")) {
      made.kind = ExpressionKind::element;
      made.operands.push_back(expression());
      expect("]");
    } else if (accept("(")) {
      made.kind = ExpressionKind::call;
      if (accept("_threadargs_")) accept(",");
      accept("_threadargscomma_");
      while (!accept(")")) {
        made.operands.push_back(expression());
        if (!is(")")) expect(",");
      }
    }
    return made;
  }

  std::vector<CToken> tokens_;
  std::size_t at_ = 0;
  int level_ = 0;
  std::vector<char> inside_;  ///< 'l' of a loop, 's' of a switch
};

}  // namespace

std::vector<Statement> parse(std::string_view text, Position begin) {
  return CParser(CLexer(text, begin).run()).run();
}

Outline outline(std::string_view text, Position begin) {
  const std::vector<CToken> tokens = CLexer(text, begin).run();
  Outline made;
  int braces = 0, brackets = 0, conditions = 0;
  bool is_closed_first = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const CToken& token = tokens[i];
    if (token.kind == Word::directive) {
      const auto [what, name] = CLexer::name_of_directive(token.text);
      if (what == "define" || what == "undef") made.macros.emplace_back(name);
      conditions += what.starts_with("if") - (what == "endif");
    } else if (token.kind == Word::symbol) {
      braces += (token.text == "{") - (token.text == "}");
      brackets += (token.text == "(") - (token.text == ")");
    } else if (token.kind == Word::name && braces == 0 && brackets == 0) {
      const std::string_view next = tokens[i + 1].text;
      if (next == "=" || next == ";" || next == "," || next == "[")
        made.variables.emplace_back(token.text);
      if (next != "(") continue;
      std::size_t end = i + 1;
      for (int depth = 0; end + 1 < tokens.size(); ++end) {
        depth += (tokens[end].text == "(") - (tokens[end].text == ")");
        if (depth == 0) break;
      }
      const std::string_view behind = end + 1 < tokens.size() ? tokens[end + 1].text : "";
      if (behind != ";" && behind != ",") made.functions.emplace_back(token.text);
      if (behind == "{" && end + 2 < tokens.size() && tokens[end + 2].text == "}")
        made.idle.emplace_back(token.text);
    }
    is_closed_first = is_closed_first || braces < 0 || brackets < 0 || conditions < 0;
  }
  made.open_brackets = is_closed_first ? -1 : braces + brackets + conditions;
  return made;
}

}  // namespace hillock::nmodl::c
