#pragma once
// Which nodes an input or a report means.

#include <map>
#include <string>
#include <vector>

#include "io/circuit/nodes.hpp"

namespace hillock::io::circuit {

/// [population, as in Nodes] the nodes of it, rising.
using NodeChoice = std::map<std::size_t, std::vector<std::uint32_t>>;

/// One of them.
struct NodeOf {
  std::size_t population = 0;
  std::uint32_t node = 0;
};

class NodeSets {
 public:
  /// Reads the file of node sets that the configuration names. What is given must outlive this.
  NodeSets(const Config& config, const Nodes& nodes, JsonFiles& files);

  /// What `named` stands for: the name of a node set or of a population, a map of what nodes have,
  /// or a list of numbers as bmtk gives them. Nothing after an error.
  std::optional<NodeChoice> resolve(const Item& named) const;
  /// The same nodes as bmtk goes through them: as a list of numbers has them, else population by
  /// population in the order of their rows.
  std::optional<std::vector<NodeOf>> in_order(const Item& named) const;
  /// All nodes of all populations.
  NodeChoice all() const;

 private:
  std::optional<NodeChoice> resolve(const Item& named, int depth) const;
  /// The list of numbers that `named` stands for, if it is one.
  std::optional<Item> numbers_of(const Item& named, int depth) const;
  std::optional<NodeChoice> by_gids(const Item& list) const;
  std::optional<NodeChoice> by_filter(const Item& map) const;

  const Nodes& nodes_;
  std::vector<Item> files_;  ///< roots
};

}  // namespace hillock::io::circuit
