#include "io/json/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hillock::io {

namespace {

using Library = nlohmann::ordered_json;

}  // namespace

/// To and from the library's values.
class JsonText {
 public:
  static Library given(const Json& json) {
    switch (json.kind_) {
      case Json::Kind::null:
        return nullptr;
      case Json::Kind::boolean:
        return json.is_true_;
      case Json::Kind::count:
        return json.count_;
      case Json::Kind::whole:
        return json.whole_;
      case Json::Kind::number:
        return json.number_;
      case Json::Kind::text:
        return json.text_;
      case Json::Kind::array:
      case Json::Kind::object:
        break;
    }
    Library all = json.kind_ == Json::Kind::array ? Library::array() : Library::object();
    for (std::size_t i = 0; i < json.items_.size(); ++i)
      if (json.kind_ == Json::Kind::array)
        all.push_back(given(json.items_[i]));
      else
        all[json.names_[i]] = given(json.items_[i]);
    return all;
  }

  /// Throws JsonError for what is nested too deep.
  static Json taken(const Library& value, int depth = 0) {
    constexpr int deepest = 64;
    if (depth > deepest) throw JsonError("no JSON of this program's: nested too deep");
    switch (value.type()) {
      case Library::value_t::boolean:
        return value.get<bool>();
      case Library::value_t::number_unsigned:
        return value.get<std::uint64_t>();
      case Library::value_t::number_integer:
        return value.get<std::int64_t>();
      case Library::value_t::number_float:
        return value.get<double>();
      case Library::value_t::string:
        return value.get_ref<const std::string&>();
      case Library::value_t::array: {
        Json all = Json::array();
        for (const Library& item : value) all.add(taken(item, depth + 1));
        return all;
      }
      case Library::value_t::object: {
        Json all = Json::object();
        for (const auto& [name, item] : value.items()) all.add(name, taken(item, depth + 1));
        return all;
      }
      default:
        return {};
    }
  }
};

Json::Json(double number) {
  if (!std::isfinite(number)) return;
  kind_ = Kind::number;
  number_ = number;
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
  return JsonText::given(*this).dump(-1, ' ', false, Library::error_handler_t::replace);
}

std::string Json::lines() const {
  return JsonText::given(*this).dump(2, ' ', false, Library::error_handler_t::replace) + "\n";
}

Json Json::parse(std::string_view text) {
  const Library value = Library::parse(text, nullptr, false);
  if (value.is_discarded()) throw JsonError("no JSON");
  return JsonText::taken(value);
}

void Json::expect(Kind kind, const char* what) const {
  if (kind_ != kind) throw JsonError(what);
}

const std::string& Json::text() const {
  expect(Kind::text, "no text");
  return text_;
}

double Json::number() const {
  if (kind_ == Kind::count) return static_cast<double>(count_);
  if (kind_ == Kind::whole) return static_cast<double>(whole_);
  expect(Kind::number, "no number");
  return number_;
}

std::uint64_t Json::count() const {
  expect(Kind::count, "no count");
  return count_;
}

const std::vector<Json>& Json::items() const {
  expect(Kind::array, "no array");
  return items_;
}

std::vector<std::pair<std::string, Json>> Json::members() const {
  expect(Kind::object, "no object");
  std::vector<std::pair<std::string, Json>> members;
  for (std::size_t i = 0; i < names_.size(); ++i) members.emplace_back(names_[i], items_[i]);
  return members;
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
