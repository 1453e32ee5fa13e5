#include "io/circuit/node_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hillock::io::circuit {

namespace {

constexpr int deepest = 50;  ///< sets that are made of sets

std::optional<std::vector<std::uint64_t>> ids_in(const Item& item) {
  std::vector<std::uint64_t> ids;
  for (const Item& entry : each_of(item)) {
    const auto id = entry.whole_number(0, std::int64_t{1} << 53);
    if (!id) return std::nullopt;
    ids.push_back(static_cast<std::uint64_t>(*id));
  }
  return ids;
}

/// Whether a node has what a set asks for: one of some numbers or texts.
bool has_one_of(const Attribute& attribute, std::uint32_t node, const std::vector<Item>& wanted) {
  const auto number = attribute.number(node);
  const auto text = attribute.text(node);
  return std::ranges::any_of(wanted, [&](const Item& one) {
    const auto as_number = number_in(one.node().scalar);
    return (number && as_number && *number == *as_number) ||
           (text && text->text == one.node().scalar);
  });
}

bool are_names(const std::vector<Item>& entries) {
  return std::ranges::any_of(
      entries, [](const Item& entry) { return entry.is_scalar() && entry.node().quoted; });
}

void add(NodeChoice& to, const NodeChoice& more) {
  for (const auto& [population, nodes] : more) {
    auto& all = to[population];
    all.insert(all.end(), nodes.begin(), nodes.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
}

}  // namespace

NodeSets::NodeSets(const Config& config, const Nodes& nodes, JsonFiles& files) : nodes_(nodes) {
  if (const auto inside = config.find("node_sets"); inside && inside->is_map())
    files_.push_back(*inside);
  const auto named = config.find("node_sets_file");
  if (!named) return;
  if (const auto file = files.read(path_of(*named), named->place())) files_.push_back(*file);
}

NodeChoice NodeSets::all() const {
  NodeChoice choice;
  for (std::size_t p = 0; p < nodes_.populations().size(); ++p) {
    auto& nodes = choice[p];
    nodes.resize(nodes_.populations()[p].ids.size());
    std::iota(nodes.begin(), nodes.end(), 0u);
  }
  return choice;
}

std::optional<NodeChoice> NodeSets::resolve(const Item& named) const {
  return resolve(named, 0);
}

std::optional<NodeChoice> NodeSets::resolve(const Item& named, int depth) const {
  if (depth > deepest) {
    named.error("node sets lead to each other");
    return std::nullopt;
  }
  if (named.is_map()) return by_filter(named);
  if (named.is_list()) {
    const auto entries = each_of(named);
    if (!are_names(entries)) return by_gids(named);
    NodeChoice all;
    for (const Item& entry : entries) {
      const auto one = resolve(entry, depth + 1);
      if (!one) return std::nullopt;
      add(all, *one);
    }
    return all;
  }
  const auto name = named.text("a node set");
  if (!name) return std::nullopt;
  std::vector<std::string> known;
  for (const Item& file : files_)
    for (const Node::Entry& entry : file.node().entries) {
      if (entry.key == *name)
        return resolve(Item(*entry.value, entry.key, file.diagnostics()), depth + 1);
      known.push_back(entry.key);
    }
  for (std::size_t p = 0; p < nodes_.populations().size(); ++p) {
    if (nodes_.populations()[p].name == *name) return NodeChoice{{p, all().at(p)}};
    known.push_back(nodes_.populations()[p].name);
  }
  if (*name == "all") return all();
  named.error(fmt::format("there is no node set '{}', and no population of that name.{}", *name,
                          did_you_mean(*name, known)));
  return std::nullopt;
}

std::optional<Item> NodeSets::numbers_of(const Item& named, int depth) const {
  if (named.is_map()) return find(named, "gids");
  if (named.is_list()) return are_names(each_of(named)) ? std::nullopt : std::optional<Item>(named);
  for (const Item& file : files_)
    if (const auto set = find(file, named.node().scalar); set && depth <= deepest)
      return numbers_of(*set, depth + 1);
  return std::nullopt;
}

std::optional<std::vector<NodeOf>> NodeSets::in_order(const Item& named) const {
  std::vector<NodeOf> all;
  const auto add_nodes = [&](const std::optional<NodeChoice>& some) {
    if (!some) return false;
    for (const auto& [population, nodes] : *some)
      for (const std::uint32_t node : nodes) all.push_back({population, node});
    return true;
  };
  const auto list = numbers_of(named, 0);
  if (!list) return add_nodes(resolve(named)) ? std::optional(all) : std::nullopt;
  for (const Item& number : each_of(*list))
    if (!add_nodes(by_gids(number))) return std::nullopt;
  return all;
}

std::optional<NodeChoice> NodeSets::by_gids(const Item& list) const {
  const auto gids = ids_in(list);
  if (!gids) return std::nullopt;
  NodeChoice choice;
  for (const std::uint64_t gid : *gids) {
    bool is_there = false;
    for (std::size_t p = 0; p < nodes_.populations().size() && !is_there; ++p) {
      const NodePopulation& population = nodes_.populations()[p];
      if (gid < population.first_gid || gid - population.first_gid >= population.ids.size())
        continue;
      const auto node = population.at.find(gid - population.first_gid);
      if (node == population.at.end()) break;
      is_there = true;
      choice[p].push_back(node->second);
    }
    if (!is_there) {
      list.error(fmt::format("there is no node {}", gid));
      return std::nullopt;
    }
  }
  for (auto& [population, nodes] : choice) {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return choice;
}

std::optional<NodeChoice> NodeSets::by_filter(const Item& map) const {
  if (const auto gids = find(map, "gids")) return by_gids(*gids);
  NodeChoice choice = all();
  for (const char* key : {"population", "populations"}) {
    const auto wanted = find(map, key);
    if (!wanted) continue;
    NodeChoice some;
    for (const Item& entry : each_of(*wanted)) {
      const auto name = entry.text("a population");
      if (!name) return std::nullopt;
      if (!nodes_.find(*name)) {
        entry.error(fmt::format("there is no population '{}'", *name));
        return std::nullopt;
      }
      for (auto& [p, nodes] : choice)
        if (nodes_.populations()[p].name == *name) some[p] = nodes;
    }
    choice = std::move(some);
  }
  for (const Node::Entry& entry : map.node().entries) {
    if (entry.key == "population" || entry.key == "populations") continue;
    const Item wanted(*entry.value, map.path() + "." + entry.key, map.diagnostics());
    if (wanted.is_map()) {
      wanted.error("conditions such as $gt are not read here; name values");
      return std::nullopt;
    }
    const std::vector<Item> values = each_of(wanted);
    for (auto& [p, nodes] : choice) {
      const NodePopulation& population = nodes_.populations()[p];
      const Attribute attribute = population.elements->attribute(entry.key);
      std::erase_if(nodes, [&](std::uint32_t node) {
        if (entry.key != "node_id" && entry.key != "node_ids")
          return !has_one_of(attribute, node, values);
        return std::ranges::none_of(values, [&](const Item& one) {
          const auto id = number_in(one.node().scalar);
          return id && *id == static_cast<double>(population.ids[node]);
        });
      });
    }
  }
  std::erase_if(choice, [](const auto& entry) { return entry.second.empty(); });
  return choice;
}

}  // namespace hillock::io::circuit
