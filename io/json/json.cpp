#include "io/json/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/utf8.hpp"

namespace hillock::io {

namespace {

void write_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid)
      out += "\xef\xbf\xbd";  // U+FFFD
    else if (c.value == '"' || c.value == '\\')
      (out += '\\') += text[0];
    else if (c.value == '\n')
      out += "\\n";
    else if (c.value == '\t')
      out += "\\t";
    else if (c.value < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    else
      out += text.substr(0, c.length);
    text.remove_prefix(c.length);
  }
  out += '"';
}

/// A number as a whole text, or nothing less.
template <class T>
T read_number(const std::string& text, const char* what) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) throw JsonError(what);
  return value;
}

}  // namespace

Json::Json(double number) {
  if (!std::isfinite(number)) return;
  kind_ = Kind::number;
  text_ = fmt::format("{}", number);
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
}

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) {
  Json object(Kind::object);
  for (const auto& [name, value] : members) object.add(name, value);
  return object;
}

void Json::add(std::string name, Json value) {
  names_.push_back(std::move(name));
  items_.push_back(std::move(value));
}

std::string Json::line() const {
  std::string out;
  write(out, nullptr);
  return out;
}

std::string Json::lines() const {
  const std::string line_start = "\n";
  std::string out;
  write(out, &line_start);
  return out + "\n";
}

/// line_start: what a line begins with, its newline too; none: all on one line.
void Json::write(std::string& out, const std::string* line_start) const {
  switch (kind_) {
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
    case Kind::number:
      out += text_;
      return;
    case Kind::text:
      write_quoted(out, text_);
      return;
    case Kind::array:
    case Kind::object:
      break;
  }
  const bool is_object = kind_ == Kind::object;
  const std::string inside = line_start ? *line_start + "  " : std::string();
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) out += ',';
    out += inside;
    if (is_object) {
      write_quoted(out, names_[i]);
      out += line_start ? ": " : ":";
    }
    items_[i].write(out, line_start ? &inside : nullptr);
  }
  if (line_start && !items_.empty()) out += *line_start;
  out += is_object ? '}' : ']';
}

void Json::expect(Kind kind, const char* what) const {
  if (kind_ != kind) throw JsonError(what);
}

const std::string& Json::text() const {
  expect(Kind::text, "no text");
  return text_;
}

double Json::number() const {
  expect(Kind::number, "no number");
  return read_number<double>(text_, "no number that can be stored");
}

std::uint64_t Json::count() const {
  expect(Kind::number, "no number");
  return read_number<std::uint64_t>(text_, "no count");
}

const std::vector<Json>& Json::items() const {
  expect(Kind::array, "no array");
  return items_;
}

std::vector<std::string> Json::texts() const {
  std::vector<std::string> texts;
  for (const Json& item : items()) texts.push_back(item.text());
  return texts;
}

std::vector<std::uint64_t> Json::counts() const {
  std::vector<std::uint64_t> counts;
  for (const Json& item : items()) counts.push_back(item.count());
  return counts;
}

const Json* Json::find(std::string_view name) const {
  expect(Kind::object, "no object");
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (names_[i] == name) return &items_[i];
  return nullptr;
}

const Json& Json::operator[](std::size_t i) const {
  if (i < items().size()) return items_[i];
  throw JsonError("no item " + std::to_string(i));
}

const Json& Json::operator[](std::string_view name) const {
  if (const Json* found = find(name)) return *found;
  throw JsonError("no member " + std::string(name));
}

}  // namespace hillock::io
