#include "io/asc/asc_tokens.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace hillock::io::asc {

namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool begins_number(std::string_view text) {
  if (text[0] == '+' || text[0] == '-') text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

Token::Kind kind_of(char c) {
  using Kind = Token::Kind;
  switch (c) {
    case '(':
      return Kind::open;
    case ')':
      return Kind::close;
    case ',':
      return Kind::comma;
    case '|':
      return Kind::bar;
    case '<':
      return Kind::open_spine;
    case '>':
      return Kind::close_spine;
    default:
      return Kind::other;
  }
}

}  // namespace

Lexer::Lexer(std::string_view text) : rest_(text), line_start_(text.data()) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest_.starts_with(byte_order_mark)) {
    rest_.remove_prefix(byte_order_mark.size());
    line_start_ = rest_.data();
  }
}

void Lexer::skip_blanks() {
  while (!rest_.empty()) {
    const char c = rest_[0];
    if (c == ';') {
      rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size()));
    } else if (c == '\n' || c == '\r') {
      rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
      ++line_;
      line_start_ = rest_.data();
    } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
      rest_.remove_prefix(1);
    } else {
      return;
    }
  }
}

void Lexer::take(Token& token, Token::Kind kind, std::size_t length) {
  token.kind = kind;
  token.text = rest_.substr(0, length);
  rest_.remove_prefix(length);
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.line = line_;
  token.column = static_cast<int>(rest_.data() - line_start_) + 1;
  if (rest_.empty()) return token;

  if (begins_number(rest_)) {
    const std::size_t plus = rest_[0] == '+' ? 1 : 0;
    const char* const last = rest_.data() + rest_.size();
    const auto [end, code] = std::from_chars(rest_.data() + plus, last, token.number);
    if (code == std::errc::result_out_of_range)
      token.number = std::numeric_limits<double>::infinity();
    take(token, Token::Kind::number, static_cast<std::size_t>(end - rest_.data()));
  } else if (rest_[0] == '"') {
    const std::size_t end = rest_.find_first_of("\"\r\n", 1);
    if (end == std::string_view::npos || rest_[end] != '"') {
      take(token, Token::Kind::broken_string, std::min(end, rest_.size()));
    } else {
      take(token, Token::Kind::string, end + 1);
      token.text = token.text.substr(1, end - 1);
    }
  } else if (is_word_character(rest_[0])) {
    std::size_t length = 1;
    while (length < rest_.size() && is_word_character(rest_[length])) ++length;
    take(token, Token::Kind::word, length);
  } else {
    take(token, kind_of(rest_[0]), 1);
  }
  return token;
}

}  // namespace hillock::io::asc
