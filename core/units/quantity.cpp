#include "core/units/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace hillock {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Letters, and the bytes of letters outside ASCII such as the micro sign.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether a number that no double holds is too small: its first digit that counts lies behind the
/// point then, by its place and the exponent.
bool is_too_small(std::string_view number) {
  const std::string_view digits = number.substr(0, number.find_first_of("eE"));
  const std::string_view exponent_text = number.substr(std::min(number.size(), digits.size() + 1));
  const bool is_negative = exponent_text.starts_with('-');
  std::int64_t exponent = 0;
  const std::string_view read = exponent_text.substr(exponent_text.starts_with('+') ? 1 : 0);
  if (std::from_chars(read.data(), read.data() + read.size(), exponent).ec ==
      std::errc::result_out_of_range)
    return is_negative;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  return exponent < first - point;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> read_number(std::string_view text, std::size_t& length) {
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > start;
  };
  bool any = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    any = skip_digits() || any;
  }
  if (!any) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t mantissa_end = i++;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!skip_digits()) i = mantissa_end;  // the e begins a word
  }
  length = i;
  double value = 0;
  const auto status = std::from_chars(text.data(), text.data() + i, value).ec;
  if (status == std::errc::result_out_of_range)
    return is_too_small(text.substr(0, i)) ? 0.0 : std::numeric_limits<double>::infinity();
  return value;
}

std::optional<Quantity> read_quantity(std::string_view text) {
  text = trim(text);
  Quantity quantity;
  std::size_t sign = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) sign = 1;
  std::size_t length = 0;
  const auto number = read_number(text.substr(sign), length);
  if (!number) return std::nullopt;
  quantity.value = sign && text[0] == '-' ? -*number : *number;
  quantity.number_text = text.substr(0, sign + length);
  const std::string_view behind = text.substr(sign + length);
  quantity.unit_text = trim(behind);
  std::string_view word = quantity.unit_text;
  if (is_space(behind.empty() ? '0' : behind[0]) && word.starts_with("1/")) word.remove_prefix(1);
  const bool starts_like_a_unit = word.empty() || is_letter(word[0]) || word[0] == '%' ||
                                  (word[0] == '/' && word.size() > 1 && is_letter(word[1]));
  if (!starts_like_a_unit) return std::nullopt;
  quantity.unit = parse_unit(quantity.unit_text);
  // "2 ms*r" and "1 mV + 2 mV" are arithmetic; "10 mv" is a number and a word that is no unit.
  if (!quantity.unit &&
      quantity.unit_text.find_first_of(" \t\n+*()<>=?:,") != std::string_view::npos)
    return std::nullopt;
  return quantity;
}

}  // namespace hillock
