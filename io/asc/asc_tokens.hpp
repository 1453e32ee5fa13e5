#pragma once
// The words of a Neurolucida file.

#include <string_view>

namespace hillock::io::asc {

struct Token {
  enum class Kind {
    end,
    number,
    open,   ///< (
    close,  ///< )
    comma,
    bar,            ///< |
    open_spine,     ///< <
    close_spine,    ///< >
    string,         ///< "CellBody", without its quotes
    broken_string,  ///< without a closing quote on its line
    word,           ///< letters, digits and _
    other,          ///< a character that the format does not have
  };
  Kind kind = Kind::end;
  double number = 0;      ///< not finite when it is beyond what a double holds
  std::string_view text;  ///< as written
  int line = 0;
  int column = 0;
};

/// Hands out one token after another. Comments run from ; to the end of their line.
class Lexer {
 public:
  /// The text must outlive the tokens.
  explicit Lexer(std::string_view text);
  Token next();

 private:
  void skip_blanks();
  void take(Token& token, Token::Kind kind, std::size_t length);

  std::string_view rest_;
  int line_ = 1;
  const char* line_start_;
};

}  // namespace hillock::io::asc
