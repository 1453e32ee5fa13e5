#pragma once
// Text from outside: whether it is UTF-8, and how it is shown without steering a terminal.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hillock {

/// A code point at the start of a text, or the byte there that begins none (length 1).
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = false;
};

/// Reads the first code point of `text`, which must not be empty. Overlong forms, surrogates and
/// numbers above 10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

/// The offset of the first byte that is not UTF-8.
std::optional<std::size_t> invalid_utf8(std::string_view text);

/// `text` as UTF-8: every byte that is not is taken for the Latin-1 character of that number.
std::string to_utf8(std::string_view text);

/// `text` with everything that steers a terminal, or reorders what stands beside it, as a visible
/// escape: \u001b for control characters (C0, DEL, C1) and marks of direction, \xff for bytes that
/// are not UTF-8. Newlines are control characters too.
std::string printable(std::string_view text);

/// printable(), with newlines as they are: for text of several lines that are all our own.
std::string printable_lines(std::string_view text);

}  // namespace hillock
