#pragma once
// The words of a .mod file. What they mean together is the parser's business.

#include <string_view>

#include "mechanisms/nmodl/findings/position.hpp"

namespace hillock::nmodl {

enum class TokenKind {
  name,
  number,    ///< without a sign
  string,    ///< text without its quotes
  symbol,    ///< an operator or bracket, the longest that fits: "<->", "<=", "{"
  verbatim,  ///< text between VERBATIM and ENDVERBATIM
  title,     ///< text after TITLE
  unknown,   ///< a byte that begins no word; an error unless it stands inside a unit
  end,
};

/// One word. `text` points into the source, which must outlive it.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  Position position;
  std::size_t begin = 0;  ///< offset of the first byte in the source
  std::size_t end = 0;    ///< offset after the last byte
  double value = 0;       ///< of a number
  bool is_integer = false;
  bool first_on_line = false;
};

}  // namespace hillock::nmodl
