#include "io/circuit/json_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/program/whole_file.hpp"
#include "core/units/quantity.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_json_file = 64u << 20;

/// JSON writes a letter beyond 16 bits as two escapes, YAML as one.
std::string with_yaml_escapes(std::string_view text) {
  constexpr std::size_t length = std::string_view("\\ud835").size();
  const auto half = [&](std::size_t at) -> std::uint32_t {
    if (at + length > text.size() || text.substr(at, 2) != "\\u") return 0;
    const char* const digits = text.data() + at + 2;
    std::uint32_t value = 0;
    return std::from_chars(digits, digits + 4, value, 16).ptr == digits + 4 ? value : 0;
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t high = text[at] == '\\' ? half(at) : 0;
    const std::uint32_t low = high >> 10 == 0xd800 >> 10 ? half(at + length) : 0;
    if (low >> 10 == 0xdc00 >> 10) {
      result += fmt::format("\\U{:08x}", 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
      at += 2 * length;
    } else {
      const std::size_t taken = text[at] == '\\' ? 2 : 1;  // an escaped backslash begins nothing
      result += text.substr(at, taken);
      at += taken;
    }
  }
  return result;
}

}  // namespace

NodePtr JsonFiles::read_tree(const std::filesystem::path& path, const Place& named_at) {
  File& file = files_.emplace_back();
  if (const std::string problem = read_whole_file(path, largest_json_file, file.text);
      !problem.empty()) {
    diagnostics_.error(named_at, fmt::format("{}: {}", path.string(), problem));
    return nullptr;
  }
  if (file.text.find("\\u") != std::string::npos) file.text = with_yaml_escapes(file.text);
  file.source = {path.string(), path.parent_path(), file.text};
  file.root = parse_yaml(file.source, diagnostics_);
  return file.root;
}

std::optional<Item> JsonFiles::read(const std::filesystem::path& path, const Place& named_at) {
  const NodePtr root = read_tree(path, named_at);
  if (!root) return std::nullopt;
  return Item(*root, "", diagnostics_);
}

std::optional<double> number_in(const std::string& text) {
  const auto quantity = read_quantity(text);
  if (!quantity || !quantity->unit_text.empty() || !std::isfinite(quantity->value))
    return std::nullopt;
  return quantity->value;
}

std::optional<double> number_of(const Item& item) {
  const auto text = item.text("a number");
  if (!text) return std::nullopt;
  const auto number = number_in(*text);
  if (!number) item.error(fmt::format("must be a number, not '{}'", *text));
  return number;
}

std::optional<double> require_number(const Item& map, const std::string& key) {
  const auto item = require(map, key);
  return item ? number_of(*item) : std::nullopt;
}

std::optional<double> number_or(const Item& map, const std::string& key, double otherwise) {
  const auto item = find(map, key);
  return item ? number_of(*item) : otherwise;
}

std::optional<Item> find(const Item& map, const std::string& key) {
  if (!map.is_map()) return std::nullopt;
  const Node* node = map.node().find(key);
  if (!node || node->kind == Node::Kind::null) return std::nullopt;
  if (node->kind == Node::Kind::scalar && !node->quoted && node->scalar == "null")
    return std::nullopt;
  return Item(*node, map.path().empty() ? key : map.path() + "." + key, map.diagnostics());
}

std::optional<Item> require(const Item& map, const std::string& key) {
  const auto found = find(map, key);
  if (!found) map.error(fmt::format("has no '{}'", key));
  return found;
}

void warn_of_misspelt(const Item& map, const std::vector<std::string>& known) {
  for (const Node::Entry& entry : map.node().entries) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    if (const std::string meant = did_you_mean(entry.key, known); !meant.empty())
      map.diagnostics().warning(
          entry.place(), fmt::format("{}: '{}' is not read.{}", map.path(), entry.key, meant));
  }
}

std::vector<Item> each_of(const Item& item) {
  if (!item.is_list()) return {item};
  return *item.list("a list");
}

}  // namespace hillock::io::circuit
