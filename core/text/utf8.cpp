#include "core/text/utf8.hpp"

#include <fmt/format.h>

namespace hillock {

namespace {

/// Marks that turn, isolate or override the direction of text (Unicode, UAX 9), and the separators
/// that some terminals break lines at.
bool steers_direction(char32_t c) {
  return c == 0x061c || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

std::string escaped(std::string_view text, bool keeps_newlines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if ((is_control(c.value) || steers_direction(c.value)) &&
             !(keeps_newlines && c.value == '\n'))
      shown += fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    else
      shown += text.substr(0, c.length);
    text.remove_prefix(c.length);
  }
  return shown;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (lead < 0xc0 || lead > 0xf7 || value < least[length] || value > 0x10ffff || is_surrogate)
    return {};
  return {value, length, true};
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint c = first_code_point(text.substr(at));
    if (!c.valid) return at;
    at += c.length;
  }
  return std::nullopt;
}

std::string to_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (c.valid)
      result += text.substr(0, c.length);
    else
      result += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
    text.remove_prefix(c.length);
  }
  return result;
}

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, true);
}

}  // namespace hillock
