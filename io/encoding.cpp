#include "io/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/utf8.hpp"

namespace hillock::io {

namespace {

/// Latin text in UTF-16 is known by its mark, or by every other byte being zero.
bool looks_like_utf16(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  return text.size() >= 4 && (text[0] == '\0') != (text[1] == '\0') &&
         (text[2] == '\0') == (text[0] == '\0') && (text[3] == '\0') == (text[1] == '\0');
}

}  // namespace

std::optional<EncodingProblem> encoding_problem(std::string_view text) {
  if (looks_like_utf16(text))
    return EncodingProblem{1, 1, "this file is UTF-16, not UTF-8 (save it as UTF-8)"};
  if (text.find('\0') != std::string_view::npos)
    return EncodingProblem{1, 1, "this is not a UTF-8 text file (it holds a zero byte)"};
  const auto at = invalid_utf8(text);
  if (!at) return std::nullopt;
  const std::string_view before = text.substr(0, *at);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view byte = text.substr(*at, 1);
  const auto number = static_cast<unsigned char>(byte[0]);
  EncodingProblem problem;
  problem.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  problem.column = static_cast<int>(*at - line_start) + 1;
  problem.message =
      fmt::format("the byte 0x{:02x} is not UTF-8 ({}save the file as UTF-8)", number,
                  number > 0xa0 ? fmt::format("in Latin-1 it is '{}'; ", to_utf8(byte)) : "");
  return problem;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

}  // namespace hillock::io
