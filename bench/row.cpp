#include "bench/row.hpp"

#include <cmath>
#include <cstdio>

namespace hillock::bench {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

void Row::add(std::string_view key, const std::string& value) {
  members_ += (members_.empty() ? "" : ", ") + quoted(key) + ": " + value;
}

Row& Row::text(std::string_view key, std::string_view value) {
  add(key, quoted(value));
  return *this;
}

Row& Row::number(std::string_view key, double value) {
  char digits[40];
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.6g", value);
  add(key, std::isfinite(value) ? digits : "null");
  return *this;
}

Row& Row::members(const Row& other) {
  if (other.members_.empty()) return *this;
  members_ += (members_.empty() ? "" : ", ") + other.members_;
  return *this;
}

}  // namespace hillock::bench
