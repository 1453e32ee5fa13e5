#include "mechanisms/nmodl/parse/token_stream.hpp"

#include <fmt/format.h>

#include "mechanisms/nmodl/parse/keywords.hpp"

namespace hillock::nmodl {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the file";
    case TokenKind::verbatim:
      return "VERBATIM";
    case TokenKind::title:
      return "TITLE";
    case TokenKind::string:
      return "a string";
    default:
      return fmt::format("'{}'", token.text.substr(0, 40));
  }
}

bool TokenStream::accept_symbol(std::string_view text) {
  if (!is_symbol(text)) return false;
  take();
  return true;
}

bool TokenStream::accept_word(std::string_view text) {
  if (!is_word(text)) return false;
  take();
  return true;
}

void TokenStream::fail(std::string message) const {
  throw SyntaxError{peek().position, std::move(message)};
}

void TokenStream::fail_expected(std::string_view what) const {
  fail("expected " + std::string(what) + ", found " + describe(peek()));
}

void TokenStream::expect_symbol(std::string_view text, std::string_view where) {
  if (!accept_symbol(text)) fail_expected("'" + std::string(text) + "' " + std::string(where));
}

void TokenStream::expect_word(std::string_view text, std::string_view where) {
  if (!accept_word(text)) fail_expected(std::string(text) + " " + std::string(where));
}

Token TokenStream::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::name) fail_expected(what);
  if (is_keyword(peek().text))
    fail("expected " + std::string(what) + ", found the keyword " + std::string(peek().text));
  if (peek().text.size() > 256) fail("a name of more than 256 letters");
  return take();
}

std::optional<int> TokenStream::defined(std::string_view name) const {
  const auto found = defines_.find(name);
  if (found == defines_.end()) return std::nullopt;
  return found->second;
}

double TokenStream::expect_number(std::string_view what) {
  double sign = 1;
  if (accept_symbol("-")) {
    sign = -1;
  } else {
    accept_symbol("+");
  }
  if (peek().kind == TokenKind::number) return sign * take().value;
  if (peek().kind == TokenKind::name)
    if (const auto value = defined(peek().text)) {
      take();
      return sign * *value;
    }
  fail_expected(what);
}

int TokenStream::expect_integer(std::string_view what) {
  if (peek().kind == TokenKind::number && peek().is_integer) {
    if (peek().value > 1e6) fail(std::string(what) + " is above 1000000");
    return static_cast<int>(take().value);
  }
  if (peek().kind == TokenKind::name)
    if (const auto value = defined(peek().text)) {
      take();
      return *value;
    }
  fail_expected(what);
}

std::optional<std::string> TokenStream::accept_unit() {
  if (!is_symbol("(")) return std::nullopt;
  const std::size_t begin = peek().end;
  const std::size_t close = source_.find_first_of(")\n\r", begin);
  if (close == std::string_view::npos || source_[close] != ')')
    fail("the bracket of the unit is not closed on its line");
  while (!at_end() && peek().begin <= close) take();
  std::string_view text = source_.substr(begin, close - begin);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return std::string(text);
}

void TokenStream::skip_block(std::size_t start) {
  int depth = 0;
  std::size_t i = start;
  for (; i < at_; ++i) {  // how deep the error stands
    if (tokens_[i].kind != TokenKind::symbol) continue;
    if (tokens_[i].text == "{") ++depth;
    if (tokens_[i].text == "}") --depth;
  }
  for (; !at_end(); take()) {
    const Token& token = peek();
    if (at_ > start && token.first_on_line && token.kind == TokenKind::name &&
        opens_block(token.text) && (depth <= 0 || token.position.column == 1))
      return;
    if (token.kind != TokenKind::symbol) continue;
    if (token.text == "{") ++depth;
    if (token.text == "}" && --depth <= 0) {
      take();
      return;
    }
  }
}

}  // namespace hillock::nmodl
