#include "mechanisms/nmodl/parse/lexer.hpp"

#include <array>
#include <charconv>

namespace hillock::nmodl {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_byte(char c) {
  return is_name_start(c) || is_digit(c);
}

/// Longest first, so that the first that fits is the longest.
constexpr std::array<std::string_view, 9> long_symbols = {
    "<->", "->", "<<", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view short_symbols = "{}()[]<>=+-*/^,!~'@&|";

class Lexer {
 public:
  Lexer(std::string_view text, int file, Findings& findings)
      : text_(text), file_(file), findings_(findings) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
    while (true) {
      skip_blanks();
      const Position position = here();
      Token token{TokenKind::end, {}, position, at_, at_, 0, false, line_ != last_line_};
      last_line_ = line_;
      if (at_ == text_.size()) {
        tokens_.push_back(token);
        return std::move(tokens_);
      }
      const char c = text_[at_];
      if (is_name_start(c))
        name(token);
      else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
        number(token);
      else if (c == '"')
        string(token);
      else
        symbol(token);
    }
  }

 private:
  Position here() const { return {file_, line_, static_cast<int>(at_ - line_start_) + 1}; }

  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }

  /// Takes one byte, counting lines.
  void step() {
    const char c = text_[at_++];
    if (c == '\n' || (c == '\r' && (at_ == text_.size() || text_[at_] != '\n'))) {
      ++line_;
      line_start_ = at_;
    }
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ':' || c == '?') {
        while (!at_line_end()) ++at_;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        step();
      } else {
        return;
      }
    }
  }

  void push(Token token, TokenKind kind, std::size_t begin, std::size_t end) {
    token.kind = kind;
    token.text = text_.substr(begin, end - begin);
    token.end = at_;
    tokens_.push_back(token);
  }

  /// Takes everything up to the word `close`, and it. Returns the offset where the word begins.
  std::size_t take_to_word(std::string_view close, const Token& open) {
    while (at_ < text_.size()) {
      if (!is_name_start(text_[at_])) {
        step();
        continue;
      }
      const std::size_t start = at_;
      while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
      if (text_.substr(start, at_ - start) == close) return start;
    }
    findings_.error(open.position, std::string(close.substr(3)) + " without " + std::string(close));
    return at_;
  }

  void name(const Token& token) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "COMMENT") {
      take_to_word("ENDCOMMENT", token);
    } else if (word == "VERBATIM") {
      const std::size_t begin = at_;
      const std::size_t end = take_to_word("ENDVERBATIM", token);
      push(token, TokenKind::verbatim, begin, end);
    } else if (word == "TITLE") {
      const std::size_t begin = at_;
      while (!at_line_end()) ++at_;
      push(token, TokenKind::title, begin, at_);
    } else if (word != "UNITSON" && word != "UNITSOFF") {
      push(token, TokenKind::name, start, at_);
    }
  }

  void number(Token token) {
    const std::size_t start = at_;
    token.is_integer = true;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '.') {
      token.is_integer = false;
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t digits = at_ + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        token.is_integer = false;
        at_ = digits;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
    }
    const char* begin = text_.data() + start;
    const auto [end, status] = std::from_chars(begin, text_.data() + at_, token.value);
    if (status != std::errc{})
      findings_.error(token.position, "the number " +
                                          std::string(text_.substr(start, at_ - start)) +
                                          " is beyond double precision");
    push(token, TokenKind::number, start, at_);
  }

  void string(const Token& token) {
    const std::size_t start = ++at_;
    while (!at_line_end() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') ++at_;
      ++at_;
    }
    const std::size_t end = at_;
    if (at_line_end())
      findings_.error(token.position, "the string is not closed on its line");
    else
      ++at_;
    push(token, TokenKind::string, start, end);
  }

  void symbol(const Token& token) {
    const std::size_t start = at_;
    for (const std::string_view candidate : long_symbols)
      if (text_.substr(at_, candidate.size()) == candidate) {
        at_ += candidate.size();
        push(token, TokenKind::symbol, start, at_);
        return;
      }
    const bool known = short_symbols.find(text_[at_]) != std::string_view::npos;
    ++at_;
    while (!known && at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80)
      ++at_;  // the rest of a UTF-8 character
    push(token, known ? TokenKind::symbol : TokenKind::unknown, start, at_);
  }

  std::string_view text_;
  int file_;
  Findings& findings_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1, last_line_ = 0;
};

}  // namespace

std::vector<Token> lex(std::string_view text, int file, Findings& findings) {
  return Lexer(text, file, findings).run();
}

}  // namespace hillock::nmodl
