// Reads JSON from its first byte to its last (RFC 8259).

#include <charconv>

#include "core/utf8.hpp"
#include "io/json/json.hpp"

namespace hillock::io {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  Json whole() {
    Json value = read_value();
    skip_blanks();
    if (!rest_.empty()) fail();
    return value;
  }

 private:
  static constexpr int deepest = 64;

  [[noreturn]] static void fail() { throw JsonError("no JSON"); }

  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  char next() {
    if (rest_.empty()) fail();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  /// Whether `c` follows, which is then gone past.
  bool passes(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!passes(c)) fail();
  }

  Json read_value() {
    skip_blanks();
    if (rest_.empty() || depth_ == deepest) fail();
    switch (rest_.front()) {
      case '{':
        return read_object();
      case '[':
        return read_array();
      case '"':
        return read_text();
      default:
        return read_word();
    }
  }

  Json read_array() {
    Json array = Json::array();
    ++depth_;
    expect('[');
    if (!passes(']')) {
      do array.add(read_value());
      while (passes(','));
      expect(']');
    }
    --depth_;
    return array;
  }

  Json read_object() {
    Json object = Json::object();
    ++depth_;
    expect('{');
    if (!passes('}')) {
      do {
        std::string name = read_text();
        expect(':');
        object.add(std::move(name), read_value());
      } while (passes(','));
      expect('}');
    }
    --depth_;
    return object;
  }

  /// A number, true, false or null.
  Json read_word() {
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n,:]}"), rest_.size());
    const std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word == "null") return {};
    if (word == "true" || word == "false") return word == "true";
    if (!is_number(word)) fail();
    Json number(Json::Kind::number);
    number.text_ = word;
    return number;
  }

  /// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
  static bool is_number(std::string_view word) {
    const auto digits = [&] {
      const std::size_t count = std::min(word.find_first_not_of("0123456789"), word.size());
      word.remove_prefix(count);
      return count;
    };
    if (word.starts_with('-')) word.remove_prefix(1);
    const bool has_zero_first = word.starts_with('0');
    const std::size_t whole = digits();
    if (whole == 0 || (has_zero_first && whole > 1)) return false;
    if (word.starts_with('.')) {
      word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    if (word.starts_with('e') || word.starts_with('E')) {
      word.remove_prefix(1);
      if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    return word.empty();
  }

  std::string read_text() {
    expect('"');
    std::string text;
    for (char c = next(); c != '"'; c = next()) {
      if (static_cast<unsigned char>(c) < 0x20) fail();
      if (c == '\\')
        read_escape(text);
      else
        text += c;
    }
    return text;
  }

  void read_escape(std::string& text) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const char letter = next();
    if (letter == 'u') return append_utf8(text, read_escaped_code_point());
    const std::size_t at = letters.find(letter);
    if (at == std::string_view::npos) fail();
    text += meanings[at];
  }

  unsigned read_four_digits() {
    if (rest_.size() < 4) fail();
    unsigned value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + 4, value, 16);
    if (error != std::errc{} || stop != rest_.data() + 4) fail();
    rest_.remove_prefix(4);
    return value;
  }

  /// What stands above U+FFFF is written as two halves.
  unsigned read_escaped_code_point() {
    const unsigned first = read_four_digits();
    if (first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff || next() != '\\' || next() != 'u') fail();
    const unsigned second = read_four_digits();
    if (second < 0xdc00 || second > 0xdfff) fail();
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  static void append_utf8(std::string& text, unsigned code_point) {
    if (code_point < 0x80) {
      text += static_cast<char>(code_point);
      return;
    }
    const int following = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
    constexpr unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
    text += static_cast<char>(leads[following] | code_point >> (6 * following));
    for (int i = following - 1; i >= 0; --i)
      text += static_cast<char>(0x80 | (code_point >> (6 * i) & 0x3f));
  }

  std::string_view rest_;
  int depth_ = 0;
};

Json Json::parse(std::string_view text) {
  if (invalid_utf8(text)) throw JsonError("no UTF-8");
  return JsonReader(text).whole();
}

}  // namespace hillock::io
