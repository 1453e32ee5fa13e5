#include "io/circuit/json_files.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/program/whole_file.hpp"
#include "core/units/quantity.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_json_file = 64u << 20;

}  // namespace

NodePtr JsonFiles::read_tree(const std::filesystem::path& path, const Place& named_at) {
  File& file = files_.emplace_back();
  if (const std::string problem = read_whole_file(path, largest_json_file, file.text);
      !problem.empty()) {
    diagnostics_.error(named_at, fmt::format("{}: {}", path.string(), problem));
    return nullptr;
  }
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

std::vector<Item> each_of(const Item& item) {
  if (!item.is_list()) return {item};
  return *item.list("a list");
}

}  // namespace hillock::io::circuit
