#include "io/circuit/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"

namespace hillock::io::circuit {

namespace {

/// What stands for a name, which is without its `$`.
struct Variable {
  std::string text;
  Place place;  ///< no line: not of the manifest
};
using Manifest = std::map<std::string, Variable, std::greater<>>;

constexpr std::size_t longest_text = 65'536;  // of what variables become

bool belongs_to_a_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Puts what the manifest says in place of `$NAME` and `${NAME}`, which may be made of others; what
/// it does not know stays.
class Variables {
 public:
  Variables(const Manifest& manifest, Diagnostics& diagnostics)
      : manifest_(manifest), diagnostics_(diagnostics) {}

  /// Nothing after an error.
  std::optional<std::string> into(const std::string& text, const Place& place) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t dollar = std::min(text.find('$', at), text.size());
      result += text.substr(at, dollar - at);
      at = dollar;
      if (at == text.size()) break;
      const bool braces = at + 1 < text.size() && text[at + 1] == '{';
      std::size_t end = at + 1 + braces;
      if (braces && end < text.size() && text[end] == '$') ++end;
      const std::size_t begin = end;
      while (end < text.size() && belongs_to_a_name(text[end])) ++end;
      const auto known = manifest_.find(text.substr(begin, end - begin));
      if (known == manifest_.end() || (braces && (end >= text.size() || text[end] != '}'))) {
        result += text[at++];
        continue;
      }
      const auto value = value_of(known->first, known->second, place);
      if (!value) return std::nullopt;
      result += *value;
      at = end + braces;
      if (result.size() <= longest_text) continue;
      diagnostics_.error(
          place, fmt::format("is longer than {} bytes with its variables put in", longest_text));
      return std::nullopt;
    }
    return result;
  }

 private:
  std::optional<std::string> value_of(const std::string& name, const Variable& variable,
                                      const Place& place) {
    const Place& at = variable.place.line > 0 ? variable.place : place;
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    if (const auto first = std::ranges::find(open_, name); first != open_.end()) {
      diagnostics_.error(at,
                         fmt::format("${} is made of itself: ${} -> ${}", name,
                                     fmt::join(std::vector(first, open_.end()), " -> $"), name));
      return std::nullopt;
    }
    if (open_.size() == most_in_another) {
      diagnostics_.error(
          at, fmt::format("more than {} variables, each made of the next", most_in_another));
      return std::nullopt;
    }
    open_.push_back(name);
    auto value = into(variable.text, at);
    open_.pop_back();
    return values_[name] = std::move(value);
  }

  static constexpr std::size_t most_in_another = 100;

  const Manifest& manifest_;
  Diagnostics& diagnostics_;
  std::vector<std::string> open_;  ///< each made of the next
  std::map<std::string, std::optional<std::string>> values_;
};

Manifest manifest_of(const Node& root) {
  // A path begins at the folder of the file that it stands in: that folder is "." there.
  Manifest manifest{{"configdir", {".", {}}},
                    {"workingdir", {std::filesystem::current_path().string(), {}}}};
  const Node* given = root.find("manifest");
  if (given)
    for (const Node::Entry& entry : given->entries)
      if (entry.value->kind == Node::Kind::scalar)
        manifest[entry.key.substr(entry.key.starts_with("$") ? 1 : 0)] = {entry.value->scalar,
                                                                          entry.place()};
  return manifest;
}

/// Puts variables into all texts below a node.
void resolve(Node& node, Variables& variables, Diagnostics& diagnostics) {
  if (node.kind == Node::Kind::scalar && node.scalar.find('$') != std::string::npos)
    if (auto text = variables.into(node.scalar, node.place())) {
      node.scalar = std::move(*text);
      if (node.scalar.find('$') != std::string::npos)
        diagnostics.error(node.place(),
                          fmt::format("'{}' has a variable that no manifest knows", node.scalar));
    }
  for (const NodePtr& item : node.items) resolve(*item, variables, diagnostics);
  for (const Node::Entry& entry : node.entries)
    if (entry.key != "manifest") resolve(*entry.value, variables, diagnostics);
}

std::optional<Item> read_resolved(const std::filesystem::path& path, const Place& named_at,
                                  JsonFiles& files) {
  const NodePtr tree = files.read_tree(path, named_at);
  if (!tree) return std::nullopt;
  if (tree->kind != Node::Kind::map) {
    files.diagnostics().error({path.string(), 1, 1}, "is no configuration of SONATA (a map)");
    return std::nullopt;
  }
  const Manifest manifest = manifest_of(*tree);
  const std::size_t errors = files.diagnostics().error_count();
  Variables variables(manifest, files.diagnostics());
  resolve(*tree, variables, files.diagnostics());
  if (files.diagnostics().error_count() > errors) return std::nullopt;
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

double Config::step_ms() const {
  constexpr double otherwise = 0.1;
  const auto dt = find("run", "dt");
  return dt ? number_of(*dt).value_or(otherwise) : otherwise;
}

}  // namespace hillock::io::circuit
