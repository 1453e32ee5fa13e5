#include "io/yaml/item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/units/quantity.hpp"

namespace hillock::io {

namespace {

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "empty";
    case Node::Kind::scalar:
      return "a single value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

std::string shorten(std::string_view text) {
  return text.size() <= 60 ? std::string(text) : std::string(text.substr(0, 57)) + "...";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace

std::string number_trap(std::string_view text) {
  text = trim(text);
  std::string_view digits = text;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))
    return fmt::format(
        "'{}' begins with 0, which YAML programs read as octal (write it without the"
        " leading 0)",
        shorten(text));
  if (digits.starts_with("0x") || digits.starts_with("0X") || digits.starts_with("0o"))
    return fmt::format("'{}' is not decimal (numbers are written in decimal here)", shorten(text));
  const std::size_t whole = digits.find_first_not_of("0123456789");
  if (whole > 0 && whole < digits.size() - 1 && digits[whole] == ',' && is_digit(digits[whole + 1]))
    return fmt::format("'{}' has a comma in its number (a decimal point is expected)",
                       shorten(text));
  std::string word;
  for (const char c : digits.substr(0, digits.find(' ')))
    word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (word == ".nan" || word == "nan" || word == ".inf" || word == "inf" || word == "infinity")
    return fmt::format("'{}' is not a finite number", shorten(text));
  return "";
}

std::string Item::name() const {
  const std::size_t dot = path_.rfind('.');
  return dot == std::string::npos ? path_ : path_.substr(dot + 1);
}

void Item::error_at(const Place& place, std::string_view problem) const {
  diagnostics_->error(place,
                      path_.empty() ? std::string(problem) : fmt::format("{}: {}", path_, problem));
}

void Item::warning(std::string_view problem) const {
  diagnostics_->warning(place(), fmt::format("{}: {}", path_, problem));
}

void Item::wrong_form(std::string_view what) const {
  if (is_null())
    error(fmt::format("has no value ({} is needed)", what));
  else
    error(fmt::format("must be {}, not {}", what, kind_name(*node_)));
}

std::optional<std::string> Item::text(std::string_view what) const {
  if (!is_scalar()) {
    wrong_form(what);
    return std::nullopt;
  }
  return node_->scalar;
}

std::optional<std::int64_t> Item::whole_number(std::int64_t minimum, std::int64_t maximum) const {
  const std::string what = fmt::format("a whole number from {} to {}", minimum, maximum);
  const auto content = text(what);
  if (!content) return std::nullopt;
  if (const std::string trap = number_trap(*content); !trap.empty()) {
    error(trap);
    return std::nullopt;
  }
  const auto quantity = read_quantity(*content);
  if (!quantity || !quantity->unit_text.empty() || quantity->value != std::floor(quantity->value)) {
    error(fmt::format("must be {}, not '{}'", what, shorten(*content)));
    return std::nullopt;
  }
  constexpr double exact = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers
  if (quantity->value < static_cast<double>(minimum) ||
      quantity->value > std::min(static_cast<double>(maximum), exact)) {
    error(fmt::format("must be {}, not {}", what, quantity->number_text));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(quantity->value);
}

std::optional<bool> Item::boolean() const {
  const auto content = text("true or false");
  if (!content) return std::nullopt;
  if (*content == "true") return true;
  if (*content == "false") return false;
  error(fmt::format("must be true or false, not '{}'", shorten(*content)));
  return std::nullopt;
}

std::optional<std::vector<Item>> Item::list(std::string_view what) const {
  if (!is_list()) {
    wrong_form(what);
    return std::nullopt;
  }
  std::vector<Item> items;
  items.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i)
    items.emplace_back(*node_->items[i], fmt::format("{}[{}]", path_, i), *diagnostics_);
  return items;
}

std::optional<std::size_t> Item::choice(const std::vector<std::string>& words) const {
  const std::string what = "one of " + join(words, ", ");
  const auto content = text(what);
  if (!content) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *content);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  error(fmt::format("must be {}, not '{}'.{}", what, shorten(*content),
                    did_you_mean(*content, words)));
  return std::nullopt;
}

MapReader::MapReader(Item item, std::string what) : item_(std::move(item)), what_(std::move(what)) {
  if (!item_.is_map()) item_.wrong_form("a map of keys");
}

Item MapReader::child(const Node::Entry& entry) const {
  return {*entry.value, item_.path().empty() ? entry.key : item_.path() + '.' + entry.key,
          item_.diagnostics()};
}

std::optional<Item> MapReader::find(const std::string& key) {
  known_.push_back(key);
  for (const auto& entry : item_.node().entries)
    if (entry.key == key) return child(entry);
  return std::nullopt;
}

std::optional<Item> MapReader::require(const std::string& key) {
  auto found = find(key);
  if (!found) missing_.push_back({key});
  return found;
}

std::string MapReader::subject() const {
  return item_.path().empty() ? what_ + ' ' : "";
}

std::optional<std::size_t> MapReader::one_of(const std::vector<std::string>& keys) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    known_.push_back(keys[i]);
    if (!has(keys[i])) continue;
    if (found) {
      item_.error(fmt::format("{}takes one of {}, not both {} and {}", subject(), join(keys, ", "),
                              keys[*found], keys[i]));
      for (const auto& key : keys) known_.push_back(key);
      return std::nullopt;
    }
    found = i;
  }
  if (!found) missing_.push_back(keys);
  return found;
}

namespace {

/// What NEURON calls otherwise, where that is known here; or empty.
std::string own_word(const std::string& neurons, const std::vector<std::string>& known) {
  static const std::map<std::string_view, std::string_view> words{
      {"amp", "amplitude"},     {"del", "start"},
      {"delay", "start"},       {"dur", "duration"},
      {"L", "length"},          {"diam", "diameter"},
      {"nseg", "compartments"}, {"celsius", "temperature"},
      {"tstop", "duration"}};
  const auto found = words.find(neurons);
  if (found == words.end() || std::ranges::find(known, found->second) == known.end()) return "";
  return std::string(found->second);
}

}  // namespace

bool MapReader::finish() {
  if (!item_.is_map()) return false;
  bool good = true;
  for (const auto& entry : item_.node().entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    good = false;
    const std::string own = own_word(entry.key, known_);
    const std::string meant = own.empty() ? nearest(entry.key, known_) : own;
    std::string suggestion = meant.empty() ? "" : fmt::format(" Did you mean '{}'?", meant);
    // A misspelt key that is required is one mistake, not two.
    std::erase_if(missing_, [&](const std::vector<std::string>& keys) {
      return keys.size() > 1 || keys[0] == meant;
    });
    if (entry.value->kind == Node::Kind::null && entry.key[0] >= '0' && entry.key[0] <= '9')
      suggestion = " Is it behind a decimal comma? A decimal point is expected.";
    if (suggestion.empty()) {
      std::vector<std::string> keys = known_;
      std::sort(keys.begin(), keys.end());
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      if (keys.empty())
        suggestion = " No key can stand there.";
      else if (keys.size() <= 20)
        suggestion = fmt::format(" Known keys: {}.", join(keys, ", "));
    }
    item_.error_at(entry.place(),
                   fmt::format("unknown key '{}' in {}.{}", shorten(entry.key), what_, suggestion));
  }
  for (const auto& keys : missing_) {
    good = false;
    if (keys.size() == 1)
      item_.error(fmt::format("{}needs the key '{}'", subject(), keys[0]));
    else
      item_.error(fmt::format("{}needs one of the keys {}", subject(), join(keys, ", ")));
  }
  missing_.clear();
  return good;
}

}  // namespace hillock::io
