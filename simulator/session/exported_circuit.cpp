#include "simulator/session/exported_circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "io/json/json.hpp"
#include "io/sonata/circuit_files.hpp"
#include "network/positions.hpp"
#include "simulator/plan/network/placed_connections.hpp"
#include "simulator/session/run_summary.hpp"

namespace hillock::session {

namespace {

using models::Network;
using models::Population;

constexpr std::int64_t first_type = 100;  // of nodes and of edges
constexpr const char* node_types_name = "node_types.csv";
constexpr const char* edge_types_name = "edge_types.csv";
constexpr const char* circuit_config_name = "circuit_config.json";

/// An entry of the configuration: the files of some populations, and of what type these are.
io::Json entry_of(const std::string& kind, const std::string& h5, const std::string& csv,
                  const std::map<std::string, std::string>& types) {
  io::Json entries = io::Json::array();
  if (types.empty()) return entries;
  io::Json populations = io::Json::object();
  for (const auto& [population, type] : types)
    populations.add(population, io::Json::object({{"type", type}}));
  entries.add(io::Json::object({{kind + "s_file", "$NETWORK_DIR/" + h5},
                                {kind + "_types_file", "$NETWORK_DIR/" + csv},
                                {"populations", populations}}));
  return entries;
}

const models::MechanismUse* own_mechanism(const models::Cell& cell) {
  const auto* artificial = std::get_if<models::ArtificialCell>(&cell.kind);
  return artificial ? &artificial->mechanism : nullptr;
}

const char* kind_of(const models::Cell& cell) {
  return own_mechanism(cell) ? "point_neuron" : "biophysical";
}

/// What a population's cells are called in the file.
std::uint64_t id_of(const Population& population, std::uint64_t cell) {
  return population.nodes ? population.nodes->ids[cell] : cell;
}

/// One more than the largest.
std::uint64_t end_of_ids(const Network& network, const std::string& nodes) {
  std::uint64_t end = 0;
  for (const Population& population : network.populations) {
    if (population.output_name() != nodes) continue;
    if (!population.nodes)
      end = std::max(end, population.size);
    else if (population.size > 0)
      end = std::max(end, *std::ranges::max_element(population.nodes->ids) + 1);
  }
  return end;
}

/// Indices of edges have a row for every id up to the largest. Throws InvalidModel.
void check_ids(const Network& network) {
  constexpr std::uint64_t most = 100'000'000;
  const auto check = [&](const Population& population) {
    if (!population.nodes || population.size == 0) return;
    const std::uint64_t largest = *std::ranges::max_element(population.nodes->ids);
    if (largest >= most)
      reject(population.place,
             fmt::format("populations.{}: node id {} of {}: edges are exported with an index by "
                         "node, which has a row for each id below it; ids below {} can be exported",
                         population.name, largest, population.output_name(), most));
  };
  for (const models::Projection& projection : network.projections)
    for (const PopulationId end : {projection.from.population, projection.to.population})
      check(network.populations[end.value]);
}

/// Edges have the parameters of their type, not numbers of their own. Throws InvalidModel.
void check_points(const Network& network) {
  for (const models::PointList& points : network.points)
    reject(points.place,
           fmt::format("points.{}: points with numbers of their own are not exported: "
                       "edges of a circuit lead to synapses of one kind",
                       points.name));
}

/// Throws InvalidModel.
void check_wiring(const Network& network) {
  if (network.wiring)
    reject(network.wiring->place, "wiring: a circuit has none, and it is not exported");
}

class Exporter {
 public:
  Exporter(const LoadedModel& model, const std::filesystem::path& folder,
           simulator::Activity& activity)
      : model_(model),
        network_(model.network),
        of_(std::make_shared<const simulator::OfPopulations>(model.network)),
        files_(folder, provenance_of(model.network)),
        activity_(activity) {}

  ExportedCircuit write() {
    std::set<std::string> written;
    for (const Population& population : network_.populations)
      if (written.insert(population.output_name()).second) write_nodes(population.output_name());
    for (std::size_t p = 0; p < network_.projections.size(); ++p) write_edges(p);
    files_.finish();
    made_.texts = {{node_types_name, io::csv_of(node_types_)},
                   {edge_types_name, io::csv_of(edge_types_)},
                   {circuit_config_name, config()}};
    return std::move(made_);
  }

 private:
  void write_nodes(const std::string& name) {
    activity_.begin("writing nodes of " + name);
    io::CircuitNodes nodes;
    nodes.population = name;
    std::array<std::vector<double>, 3> um;
    for (std::size_t p = 0; p < network_.populations.size(); ++p) {
      const Population& population = network_.populations[p];
      if (population.output_name() != name) continue;
      const std::int64_t type = first_type + static_cast<std::int64_t>(p);
      types_of_nodes_[name] = kind_of(network_.cells[population.cell]);
      add_type(population, type);
      const auto places = network::positions(network_, PopulationId(static_cast<std::uint32_t>(p)),
                                             {0, population.size, 1});
      for (std::size_t axis = 0; axis < 3; ++axis)
        um[axis].insert(um[axis].end(), places[axis].begin(), places[axis].end());
      for (std::uint64_t cell = 0; cell < population.size; ++cell)
        nodes.ids.push_back(id_of(population, cell));
      nodes.types.insert(nodes.types.end(), population.size, type);
    }
    std::vector<std::size_t> order(nodes.ids.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t row) { return nodes.ids[row]; });
    const auto in_order = [&order](auto& column) {
      auto sorted = column;
      for (std::size_t row = 0; row < order.size(); ++row) sorted[row] = column[order[row]];
      return sorted;
    };
    nodes.types = in_order(nodes.types);
    nodes.x_um = in_order(um[0]);
    nodes.y_um = in_order(um[1]);
    nodes.z_um = in_order(um[2]);
    nodes.ids = in_order(nodes.ids);
    files_.add(nodes);
    made_.nodes += nodes.ids.size();
  }

  void add_type(const Population& population, std::int64_t type) {
    const models::Cell& cell = network_.cells[population.cell];
    const models::MechanismUse* const own = own_mechanism(cell);
    node_types_.rows.push_back({fmt::format("{}", type), population.output_name(), kind_of(cell),
                                fmt::format("hillock:{}", own ? own->name : cell.name), cell.name});
  }

  void write_edges(std::size_t projection) {
    const models::Projection& from = network_.projections[projection];
    const std::string name = name_of_edges(from);
    activity_.begin("writing edges of " + name);
    auto made =
        simulator::placed_connections(network_, model_.mechanisms, of_, projection, activity_);
    const Population& source = network_.populations[from.from.population.value];
    const Population& target = network_.populations[from.to.population.value];
    io::CircuitEdges edges;
    edges.population = name;
    edges.source_nodes = source.output_name();
    edges.target_nodes = target.output_name();
    edges.source_end = end_of_ids(network_, edges.source_nodes);
    edges.target_end = end_of_ids(network_, edges.target_nodes);
    edges.type_id = first_type + static_cast<std::int64_t>(projection);
    for (std::uint64_t& cell : made.sources) cell = id_of(source, cell);
    for (std::uint64_t& cell : made.targets) cell = id_of(target, cell);
    edges.sources = std::move(made.sources);
    edges.targets = std::move(made.targets);
    const bool is_junction = std::holds_alternative<models::GapJunction>(from.link);
    types_of_edges_[name] = is_junction ? "electrical" : "chemical";
    add_numbers(edges, is_junction ? "conductance" : "syn_weight", made.weights);
    add_numbers(edges, "delay", made.delays_ms);
    add_places(edges, "afferent", made.on_target);
    add_places(edges, "efferent", made.on_source);
    files_.add(edges);
    made_.edges += edges.sources.size();
    edge_types_.rows.push_back({fmt::format("{}", edges.type_id), name, from.name, link_of(from)});
  }

  /// What libsonata asks of a circuit: the files, and the populations that are in them.
  std::string config() const {
    using Files = io::CircuitFiles;
    const io::Json networks = io::Json::object(
        {{"nodes", entry_of("node", Files::nodes_name, node_types_name, types_of_nodes_)},
         {"edges", entry_of("edge", Files::edges_name, edge_types_name, types_of_edges_)}});
    // Nodes with a membrane must say where shapes would lie; none are exported.
    const io::Json components = io::Json::object(
        {{"morphologies_dir", "$NETWORK_DIR"}, {"biophysical_neuron_models_dir", "$NETWORK_DIR"}});
    return io::Json::object({{"manifest", io::Json::object({{"$NETWORK_DIR", "."}})},
                             {"components", components},
                             {"networks", networks}})
        .lines();
  }

  static void add_numbers(io::CircuitEdges& edges, const std::string& name,
                          std::vector<double>& values) {
    if (!values.empty()) edges.numbers.emplace(name, std::move(values));
  }
  static void add_places(io::CircuitEdges& edges, const std::string& side,
                         simulator::CellPlaces& places) {
    if (places.branches.empty()) return;
    edges.counts.emplace(side + "_section_id", std::move(places.branches));
    edges.numbers.emplace(side + "_section_pos", std::move(places.positions));
  }

  /// What a connection leads to.
  std::string link_of(const models::Projection& projection) const {
    if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
      return synapse->mechanism.name;
    if (const auto* junction = std::get_if<models::GapJunction>(&projection.link))
      return junction->mechanism ? junction->mechanism->name : models::GapJunction::ohmic;
    const Population& target = network_.populations[projection.to.population.value];
    return own_mechanism(network_.cells[target.cell])->name;
  }

  /// Letters, digits, _ and -; unique.
  std::string name_of_edges(const models::Projection& projection) {
    std::string name = projection.name;
    if (const auto arrow = name.find("->"); arrow != std::string::npos)
      name.replace(arrow, 2, "_to_");
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
    std::string unique = name;
    for (int number = 2; !edge_names_.insert(unique).second; ++number)
      unique = fmt::format("{}_{}", name, number);
    return unique;
  }

  const LoadedModel& model_;
  const Network& network_;
  std::shared_ptr<const simulator::OfPopulations> of_;
  io::CircuitFiles files_;
  simulator::Activity& activity_;
  std::set<std::string> edge_names_;
  io::TypesTable node_types_{{"node_type_id", "population", "model_type", "model_template", "cell"},
                             {}};
  io::TypesTable edge_types_{{"edge_type_id", "population", "projection", "model_template"}, {}};
  std::map<std::string, std::string> types_of_nodes_, types_of_edges_;  ///< [population]
  ExportedCircuit made_;
};

}  // namespace

std::vector<std::string> circuit_file_names() {
  return {circuit_config_name, io::CircuitFiles::nodes_name, io::CircuitFiles::edges_name,
          node_types_name, edge_types_name};
}

ExportedCircuit export_circuit(const LoadedModel& model, const std::filesystem::path& folder,
                               simulator::Activity& activity) {
  check_wiring(model.network);
  check_points(model.network);
  check_ids(model.network);
  return Exporter(model, folder, activity).write();
}

}  // namespace hillock::session
