#pragma once
// Cuts the text of a .mod file into words, leaving out comments, UNITSON and UNITSOFF.

#include <string_view>
#include <vector>

#include "mechanisms/nmodl/findings/findings.hpp"
#include "mechanisms/nmodl/parse/token.hpp"

namespace hillock::nmodl {

/// The words of `text`, the last of kind `end`. Comments are `:` and `?` to the end of the line and
/// COMMENT ... ENDCOMMENT. Lines end with \n, \r\n or \r. Unclosed strings, comments and VERBATIM
/// blocks are reported. Cost O(length).
std::vector<Token> lex(std::string_view text, int file, Findings& findings);

}  // namespace hillock::nmodl
