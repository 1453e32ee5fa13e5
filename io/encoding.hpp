#pragma once
// Files that are read as text must be UTF-8. Not here: .mod and .swc files, whose comments are
// often older than that and go nowhere.

#include <optional>
#include <string>
#include <string_view>

namespace hillock::io {

/// Why a text is not taken, and where: line and column count from 1, columns in bytes.
struct EncodingProblem {
  int line = 1;
  int column = 1;
  std::string message;
};

/// The first thing in `text` that is not UTF-8 text: another encoding, a byte that is no part of a
/// character, a zero byte.
std::optional<EncodingProblem> encoding_problem(std::string_view text);

/// `text` without the byte-order mark that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace hillock::io
