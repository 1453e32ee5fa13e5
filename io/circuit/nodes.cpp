#include "io/circuit/nodes.hpp"

#include <fmt/format.h>

#include <numeric>

namespace hillock::io::circuit {

namespace {

bool read_population(const std::shared_ptr<ConfinedFile>& file, const std::string& name,
                     const std::shared_ptr<const TypesTable>& types, std::uint64_t first_gid,
                     NodePopulation& population, Diagnostics& diagnostics) {
  const std::string path = "/nodes/" + name;
  population.name = name;
  population.first_gid = first_gid;
  population.elements = Elements::read(file, path, "node", types, diagnostics);
  if (!population.elements) return false;
  const Place place = population.elements->place();
  const std::size_t errors = diagnostics.error_count();
  const auto ids = Elements::whole_numbers(*file, path + "/node_id", diagnostics);
  if (diagnostics.error_count() > errors) return false;
  if (ids) {
    population.ids = *ids;
  } else {
    population.ids.resize(population.elements->size());
    std::iota(population.ids.begin(), population.ids.end(), std::uint64_t{0});
  }
  if (population.ids.size() != population.elements->size()) {
    diagnostics.error(place, fmt::format("{} has {} node ids for {} nodes", path,
                                         population.ids.size(), population.elements->size()));
    return false;
  }
  for (std::size_t i = 0; i < population.ids.size(); ++i)
    if (!population.at.emplace(population.ids[i], static_cast<std::uint32_t>(i)).second) {
      diagnostics.error(place, fmt::format("{} has node {} twice", path, population.ids[i]));
      return false;
    }
  return true;
}

}  // namespace

std::shared_ptr<const TypesTable> read_types(const Item& entry, const std::string& kind,
                                             Diagnostics& diagnostics) {
  const auto named = find(entry, kind + "_types_file");
  if (!named) return nullptr;
  auto table = TypesTable::read(path_of(*named), kind + "_type_id", named->place(), diagnostics);
  return table ? std::make_shared<const TypesTable>(std::move(*table)) : nullptr;
}

std::optional<Nodes> Nodes::read(const Config& config, const std::filesystem::path& column_reader,
                                 Diagnostics& diagnostics) {
  Nodes nodes;
  const auto entries = config.find("networks", "nodes");
  if (!entries) {
    config.root().error("names no files of nodes (networks: nodes)");
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.error_count();
  std::uint64_t gids = 0;
  for (const Item& entry : each_of(*entries)) {
    const auto named = require(entry, "nodes_file");
    const auto types = read_types(entry, "node", diagnostics);
    if (!named) continue;
    read_named(*named, [&] {
      const auto file = std::make_shared<ConfinedFile>(path_of(*named), column_reader);
      for (const std::string& name : file->children("/nodes")) {
        if (nodes.find(name)) {
          named->error(fmt::format("there are two populations of nodes called '{}'", name));
          continue;
        }
        NodePopulation& population = nodes.populations_.emplace_back();
        if (!read_population(file, name, types, gids, population, diagnostics)) continue;
        gids += population.ids.size();
      }
    });
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return nodes;
}

const NodePopulation* Nodes::find(const std::string& name) const {
  for (const NodePopulation& population : populations_)
    if (population.name == name) return &population;
  return nullptr;
}

}  // namespace hillock::io::circuit
