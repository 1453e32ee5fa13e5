#include "simulator/session/view_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/utf8.hpp"
#include "io/json/json.hpp"
#include "io/page/blobs.hpp"
#include "io/page/page_text.hpp"
#include "io/page/spike_panel.hpp"
#include "network/connectivity.hpp"
#include "network/expected_connections.hpp"
#include "network/positions.hpp"
#include "simulator/session/recorded_shapes.hpp"
#include "simulator/session/view_cells.hpp"
#include "simulator/session/view_distances.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::session {

namespace {

constexpr std::uint64_t most_targets = 64;     // of a projection
constexpr std::size_t most_sampled = 20'000;   // connections of a projection
constexpr double most_gone_through = 2e8;      // connections, to find those of some targets
constexpr std::size_t delay_bins = 40;

/// Some of a projection's connections.
struct Sample {
  std::vector<double> weights, delays_ms;
  std::vector<std::uint64_t> targets;  ///< all of whose connections these are
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;  ///< source and target
  std::optional<double> mean(const std::vector<double>& values) const {
    if (values.empty()) return std::nullopt;
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
};

Sample sample_of(const models::Network& network, std::size_t number, double expected) {
  Sample sample;
  const models::Projection& projection = network.projections[number];
  const auto rule = projection.connect.kind;
  const bool goes_through_all = rule == models::ConnectionRule::Kind::fixed_outdegree ||
                                rule == models::ConnectionRule::Kind::list;
  if (goes_through_all && expected > most_gone_through) return sample;
  const models::PopulationSlice& to = projection.to;
  network::CellSet some;
  some.begin = to.begin;
  some.end = to.end;
  some.stride = std::max<std::uint64_t>(1, to.size() / most_targets);
  const network::Connector connector(network, number, some);
  const auto* gap = std::get_if<models::GapJunction>(&projection.link);
  network::Connector::Scratch scratch;
  std::vector<network::Connection> connections;
  for (std::uint64_t i = 0; i < some.size() && sample.delays_ms.size() < most_sampled; ++i) {
    connections.clear();
    connector.connect(some[i], scratch, connections);
    sample.targets.push_back(some[i]);
    for (const network::Connection& connection : connections) {
      sample.pairs.emplace_back(connection.source, connection.target);
      if (gap) {
        if (!gap->mechanism) sample.weights.push_back(connector.draws().conductance_uS(connection));
        continue;
      }
      sample.weights.push_back(connection.weight);
      sample.delays_ms.push_back(connection.delay_ms);
    }
  }
  return sample;
}

/// Of what weights are jumps.
std::string weight_unit_of(const models::Network& network, const models::Projection& projection,
                           const Signatures& signatures) {
  if (std::holds_alternative<models::GapJunction>(projection.link)) return "uS";
  std::string mechanism;
  if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
    mechanism = synapse->mechanism.name;
  else if (const auto* cell = std::get_if<models::ArtificialCell>(
               &network.cells[network.populations[projection.to.population.value].cell].kind))
    mechanism = cell->mechanism.name;
  const auto known = signatures.find(mechanism);
  return known == signatures.end() ? "" : known->second.weight_unit_text;
}

io::Json projections_in(const models::Network& network, const Signatures& signatures) {
  std::vector<Sample> samples;
  std::vector<network::ExpectedConnections> expected;
  double longest = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    expected.push_back(network::expect_connections(network, p));
    samples.push_back(sample_of(network, p, expected.back().count));
    for (const double delay : samples.back().delays_ms) longest = std::max(longest, delay);
  }
  io::Json projections = io::Json::array();
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    const Sample& sample = samples[p];
    io::page::Histogram delays;
    delays.width = longest > 0 ? longest / (delay_bins - 1) : 1;
    delays.counts.resize(delay_bins);
    for (const double delay : sample.delays_ms)
      ++delays.counts[std::min(delay_bins - 1, static_cast<std::size_t>(delay / delays.width))];
    io::Json json = io::Json::object(
        {{"name", printable(projection.name)},
         {"from", printable(network.populations[projection.from.population.value].name)},
         {"to", printable(network.populations[projection.to.population.value].name)},
         {"is_gap", std::holds_alternative<models::GapJunction>(projection.link)},
         {"is_plastic", projection.stdp.has_value()},
         {"count", expected[p].count},
         {"is_exact", expected[p].is_exact},
         {"sampled", sample.weights.size()},
         {"weight_unit", printable(weight_unit_of(network, projection, signatures))}});
    if (const auto weight = sample.mean(sample.weights)) json.add("weight", *weight);
    if (const auto delay = sample.mean(sample.delays_ms)) {
      json.add("delay_ms", *delay);
      json.add("delays", delays.to_json());
    }
    if (const auto by_distance =
            connected_by_distance(network, projection, sample.targets, sample.pairs))
      json.add("by_distance", *by_distance);
    projections.add(json);
  }
  return projections;
}

io::Json populations_in(const models::Network& network, io::page::Blobs& blobs) {
  std::uint64_t placed = 0;
  for (const models::Population& population : network.populations)
    if (population.positions.kind != models::Positions::Kind::none) placed += population.size;
  const std::uint64_t stride = std::max<std::uint64_t>(1, (placed + most_placed - 1) / most_placed);
  io::Json populations = io::Json::array();
  for (std::size_t p = 0; p < network.populations.size(); ++p) {
    const models::Population& population = network.populations[p];
    const models::Cell& cell = network.cells[population.cell];
    const bool is_cable = std::holds_alternative<models::CableCell>(cell.kind);
    io::Json json = io::Json::object({{"name", printable(population.name)},
                                      {"cell", printable(cell.name)},
                                      {"size", population.size},
                                      {"has_shape", is_cable}});
    if (!is_cable)
      json.add("mechanism", printable(std::get<models::ArtificialCell>(cell.kind).mechanism.name));
    if (population.positions.kind != models::Positions::Kind::none) {
      network::CellSet some;
      some.begin = 0;
      some.end = population.size;
      some.stride = stride;
      const auto places =
          network::positions(network, PopulationId(static_cast<std::uint32_t>(p)), some);
      std::vector<float> flat;
      for (std::size_t i = 0; i < places[0].size(); ++i)
        for (const auto& axis : places) flat.push_back(static_cast<float>(axis[i]));
      json.add("places", blobs.add(flat));
      json.add("every_cell", stride);
    }
    populations.add(json);
  }
  return populations;
}

/// Weights and delays are those of a sample of a projection's connections, counts are what the
/// rules say.
io::Json view_of(const LoadedModel& model, io::page::Blobs& blobs) {
  const models::Network& network = model.network;
  std::vector<std::string> warnings;
  for (const auto& warning : model.warnings) warnings.push_back(to_string(warning));
  return io::Json::object(
      {{"kind", "view"},
       {"duration_ms", network.run.dt_ms * static_cast<double>(network.run.steps)},
       {"dt_ms", network.run.dt_ms},
       {"seed", network.run.seed},
       {"model_text", io::page::shown_lines(network.inputs.front().content)},
       {"warnings", warnings},
       {"populations", populations_in(network, blobs)},
       {"projections", projections_in(network, model.mechanisms.signatures())},
       {"cells", cells_in(network, blobs)}});
}

}  // namespace

std::string view_page(const LoadedModel& model, const std::string& title) {
  constexpr std::array<const char*, 6> scripts{"base.js",      "plot.js", "parts.js",
                                               "histogram.js", "tree.js", "view.js"};
  io::page::Blobs blobs;
  io::Json data = view_of(model, blobs);
  data.add("title", printable(title));
  return io::page::page_text(title, scripts, data, blobs);
}

}  // namespace hillock::session
