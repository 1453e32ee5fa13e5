#pragma once
// JSON of this program's own files, which are small: values, by nlohmann's library read and
// written, which json.cpp alone includes, because it takes long to compile. Not here: YAML, which
// models are written in.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hillock::io {

/// A text that is no JSON, or a value that is not what is asked for. What was read says whose it
/// is.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A JSON value. Members keep the order in which they are added.
class Json {
 public:
  Json() = default;  ///< null
  Json(bool is_true) : kind_(Kind::boolean), is_true_(is_true) {}
  Json(double number);  ///< null where it is not finite
  template <std::integral T>
  Json(T number) {
    if (number < 0) {
      kind_ = Kind::whole;
      whole_ = static_cast<std::int64_t>(number);
    } else {
      kind_ = Kind::count;
      count_ = static_cast<std::uint64_t>(number);
    }
  }
  Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  template <class T>
  Json(const std::vector<T>& items) : kind_(Kind::array) {
    for (const auto& item : items) add(item);
  }
  /// An array of two.
  Json(const std::pair<std::string, std::string>& both) : kind_(Kind::array) {
    add(both.first);
    add(both.second);
  }
  template <class T>
  Json(const std::map<std::string, T>& members) : kind_(Kind::object) {
    for (const auto& [name, value] : members) add(name, value);
  }
  static Json array() { return Json(Kind::array); }
  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {});

  /// To an array, or to an object that has no such member yet.
  void add(Json item) { items_.push_back(std::move(item)); }
  void add(std::string name, Json value);

  /// On one line.
  std::string line() const;
  /// An item a line, indented by 2, and a newline. Bytes that are no UTF-8 become U+FFFD.
  std::string lines() const;

  /// Throws JsonError.
  static Json parse(std::string_view text);

  // What a value is; each throws JsonError when it is something else.
  const std::string& text() const;
  double number() const;
  std::uint64_t count() const;
  const std::vector<Json>& items() const;
  /// An object's, in their order.
  std::vector<std::pair<std::string, Json>> members() const;
  std::vector<std::string> texts() const;
  std::vector<std::uint64_t> counts() const;
  /// Throws JsonError when there is none.
  const Json& operator[](std::string_view name) const;
  const Json& operator[](std::size_t i) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

 private:
  friend class JsonText;
  /// count: a whole number that is not negative; whole: one that is.
  enum class Kind { null, boolean, count, whole, number, text, array, object };

  explicit Json(Kind kind) : kind_(kind) {}
  void expect(Kind kind, const char* what) const;
  const Json* find(std::string_view name) const;

  Kind kind_ = Kind::null;
  bool is_true_ = false;
  std::uint64_t count_ = 0;
  std::int64_t whole_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<Json> items_;
  std::vector<std::string> names_;  ///< of an object's items
};

}  // namespace hillock::io
