#pragma once
// The words of one source file with a reading position, and the questions a parser asks of them.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/nmodl/findings/findings.hpp"
#include "mechanisms/nmodl/parse/token.hpp"

namespace hillock::nmodl {

/// Thrown inside the parser, which reports it and goes on behind the block it stands in.
struct SyntaxError {
  Position position;
  std::string message;
};

class TokenStream {
 public:
  TokenStream(std::string_view source, std::vector<Token> tokens,
              std::map<std::string, int, std::less<>>& defines)
      : source_(source), tokens_(std::move(tokens)), defines_(defines) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    const Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool at_end() const { return peek().kind == TokenKind::end; }

  bool is_symbol(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == text;
  }
  bool is_word(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::name && peek(ahead).text == text;
  }
  bool accept_symbol(std::string_view text);
  bool accept_word(std::string_view text);

  /// These throw SyntaxError: "expected '{' after NEURON, found 'x'".
  void expect_symbol(std::string_view text, std::string_view where);
  void expect_word(std::string_view text, std::string_view where);
  Token expect_name(std::string_view what);
  /// A number with an optional sign, or the name of a DEFINE.
  double expect_number(std::string_view what);
  /// A whole number, or the name of a DEFINE.
  int expect_integer(std::string_view what);

  /// The value of a DEFINE.
  std::optional<int> defined(std::string_view name) const;

  /// "(text)" when it stands next: everything up to the bracket that closes it on the same line.
  std::optional<std::string> accept_unit();

  [[noreturn]] void fail(std::string message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

  std::size_t index() const { return at_; }
  /// Goes on behind the block whose first word has index `start`, or before the next word that
  /// opens a block at the start of its line.
  void skip_block(std::size_t start);

 private:
  std::string_view source_;
  std::vector<Token> tokens_;
  std::map<std::string, int, std::less<>>& defines_;
  std::size_t at_ = 0;
};

/// "'x'", "the end of the file", as messages name what was found.
std::string describe(const Token& token);

}  // namespace hillock::nmodl
