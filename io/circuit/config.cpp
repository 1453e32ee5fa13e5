#include "io/circuit/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/errors.hpp"
#include "core/whole_file.hpp"

namespace hillock::io::circuit {

namespace {

/// Names without `$`, and what stands for them.
using Manifest = std::map<std::string, std::string, std::greater<>>;

constexpr int most_rounds = 20;  // a variable may be made of others

bool belongs_to_a_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// `$NAME` and `${NAME}` give way to what the manifest says; what it does not know stays.
std::string with_variables(std::string text, const Manifest& manifest) {
  for (int round = 0; round < most_rounds; ++round) {
    const std::string before = text;
    for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
      const bool braces = at + 1 < text.size() && text[at + 1] == '{';
      std::size_t end = at + 1 + braces;
      if (braces && end < text.size() && text[end] == '$') ++end;
      const std::size_t begin = end;
      while (end < text.size() && belongs_to_a_name(text[end])) ++end;
      const auto known = manifest.find(text.substr(begin, end - begin));
      if (known == manifest.end() || (braces && (end >= text.size() || text[end] != '}'))) continue;
      text.replace(at, end + braces - at, known->second);
    }
    if (text == before) break;
  }
  return text;
}

Manifest manifest_of(const Node& root, const std::filesystem::path& folder) {
  Manifest manifest{{"configdir", folder.empty() ? "." : folder.string()},
                    {"workingdir", std::filesystem::current_path().string()}};
  const Node* given = root.find("manifest");
  if (given)
    for (const Node::Entry& entry : given->entries)
      if (entry.value->kind == Node::Kind::scalar)
        manifest[entry.key.substr(entry.key.starts_with("$") ? 1 : 0)] = entry.value->scalar;
  return manifest;
}

/// Puts variables into all texts below a node.
void resolve(Node& node, const Manifest& manifest, Diagnostics& diagnostics) {
  if (node.kind == Node::Kind::scalar && node.scalar.find('$') != std::string::npos) {
    node.scalar = with_variables(node.scalar, manifest);
    if (node.scalar.find('$') != std::string::npos)
      diagnostics.error(node.place(),
                        fmt::format("'{}' has a variable that no manifest knows", node.scalar));
  }
  for (const NodePtr& item : node.items) resolve(*item, manifest, diagnostics);
  for (const Node::Entry& entry : node.entries)
    if (entry.key != "manifest") resolve(*entry.value, manifest, diagnostics);
}

std::optional<Item> read_resolved(const std::filesystem::path& path, const Place& named_at,
                                  JsonFiles& files) {
  const NodePtr tree = files.read_tree(path, named_at);
  if (!tree) return std::nullopt;
  if (tree->kind != Node::Kind::map) {
    files.diagnostics().error({path.string(), 1, 1}, "is no configuration of SONATA (a map)");
    return std::nullopt;
  }
  resolve(*tree, manifest_of(*tree, path.parent_path()), files.diagnostics());
  return Item(*tree, "", files.diagnostics());
}

}  // namespace

std::filesystem::path path_of(const Item& item) {
  const std::filesystem::path named = item.node().scalar;
  return (item.node().source->directory / named).lexically_normal();
}

std::optional<Config> Config::read(const std::filesystem::path& path, JsonFiles& files) {
  std::unique_ptr<Blocks> blocks;
  if (const std::string problem = open_in_blocks(path, ~std::uintmax_t{0}, blocks);
      !problem.empty())
    throw InputOutputError(path.string(), problem);
  Config config;
  const auto first = read_resolved(path, {path.string(), 0, 0}, files);
  if (!first) return std::nullopt;
  std::optional<Item> simulation = first;
  std::optional<Item> network = circuit::find(*first, "network");
  if (const auto named = circuit::find(*first, "simulation")) {
    simulation = read_resolved(path_of(*named), named->place(), files);
    if (!simulation) return std::nullopt;
    if (!network) network = circuit::find(*simulation, "network");
  }
  config.roots_.push_back(*simulation);
  if (network) {
    const auto circuit = read_resolved(path_of(*network), network->place(), files);
    if (!circuit) return std::nullopt;
    config.roots_.push_back(*circuit);
  } else if (!circuit::find(*simulation, "networks")) {
    simulation->error(
        "names no circuit: it has no key 'network' (where a file beside it names both, "
        "'simulation' and 'network', that is the one to run)");
    return std::nullopt;
  }
  return config;
}

std::optional<Item> Config::find(const std::string& section) const {
  for (const Item& root : roots_)
    if (const auto found = circuit::find(root, section)) return found;
  return std::nullopt;
}

std::optional<Item> Config::find(const std::string& section, const std::string& key) const {
  const auto map = find(section);
  return map ? circuit::find(*map, key) : std::nullopt;
}

}  // namespace hillock::io::circuit
