#include "simulator/plan/range/of_populations.hpp"

#include <variant>

namespace hillock::simulator {

namespace {

/// Finds where a model puts or records something that may be at a zero-area node.
class EndFinder {
 public:
  EndFinder(const models::Network& network, std::vector<EndsInUse>& ends)
      : network_(network), ends_(ends) {
    ends.resize(network.cells.size());
    for (std::size_t cell = 0; cell < ends.size(); ++cell) {
      const auto* const cable = std::get_if<models::CableCell>(&network.cells[cell].kind);
      if (cable && cable->detector) add(ends[cell], cable->detector->at);
    }
  }

  void add(const models::Projection& projection) {
    if (const auto* synapse = std::get_if<models::Synapse>(&projection.link)) {
      add(projection.to.population, synapse->at);
      add_rows(projection.to.population, projection.connect.rows.branches,
               projection.connect.rows.positions);
    }
    if (const auto* junction = std::get_if<models::GapJunction>(&projection.link)) {
      add(projection.to.population, junction->at);
      add(projection.from.population, junction->peer_at);
      add_rows(projection.from.population, projection.connect.rows.branches,
               projection.connect.rows.positions);
    }
  }

  void add(const models::PointList& points) {
    add_rows(points.on, points.branches, points.positions);
  }

  void add(const models::Wiring& wiring) {
    for (const models::Wiring::Spot& spot : wiring.spots)
      add_rows(spot.population, {spot.branch}, {spot.position});
  }

  void add(const models::Stimulus& stimulus) {
    const PopulationId to = stimulus.to.population;
    if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind)) add(to, clamp->at);
    if (const auto* clamp = std::get_if<models::VoltageClamp>(&stimulus.kind)) add(to, clamp->at);
    if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
      add(to, placed->point.at);
    if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
      add(to, events->synapse.at);
  }

  void add(PopulationId population, const models::Locations& at) {
    if (EndsInUse* const ends = of(population)) add(*ends, at);
  }

 private:
  /// Null: an artificial cell has none.
  EndsInUse* of(PopulationId population) {
    const std::size_t cell = network_.populations[population.value].cell;
    return std::holds_alternative<models::CableCell>(network_.cells[cell].kind) ? &ends_[cell]
                                                                                : nullptr;
  }

  static void add(EndsInUse& ends, const models::Locations& at) {
    using Kind = models::Locations::Kind;
    if (at.kind == Kind::tips ||
        (at.kind == Kind::position && (at.position <= 0 || at.position >= 1)))
      ends.at.push_back(&at);
  }

  void add_rows(PopulationId population, const std::vector<std::uint32_t>& branches,
                const std::vector<double>& positions) {
    EndsInUse* const ends = of(population);
    if (!ends) return;
    for (std::size_t row = 0; row < positions.size(); ++row)
      if (positions[row] <= 0 || positions[row] >= 1)
        ends->listed.emplace(branches[row], positions[row] >= 1);
  }

  const models::Network& network_;
  std::vector<EndsInUse>& ends_;  ///< [cell]
};

}  // namespace

OfPopulations::OfPopulations(const models::Network& network)
    : first_cells(network.first_cells()),
      projections(network.populations.size()),
      points(network.populations.size()),
      stimuli(network.populations.size()),
      recordings(network.populations.size()),
      report_of(network.recordings.size()) {
  EndFinder finder(network, ends);
  for (std::uint32_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    const PopulationId from = projection.from.population, to = projection.to.population;
    projections[to.value].push_back(p);
    if (std::holds_alternative<models::GapJunction>(projection.link) && from != to)
      projections[from.value].push_back(p);
    finder.add(projection);
  }
  for (std::uint32_t list = 0; list < network.points.size(); ++list) {
    points[network.points[list].on.value].push_back(list);
    finder.add(network.points[list]);
  }
  for (std::uint32_t s = 0; s < network.stimuli.size(); ++s) {
    stimuli[network.stimuli[s].to.population.value].push_back(s);
    finder.add(network.stimuli[s]);
  }
  if (network.wiring) finder.add(*network.wiring);
  std::uint32_t report = 0;
  for (std::uint32_t r = 0; r < network.recordings.size(); ++r) {
    const models::Recording& recording = network.recordings[r];
    if (!recording.variable) continue;
    recordings[recording.of.population.value].push_back(r);
    report_of[r] = report++;
    if (!recording.points) finder.add(recording.of.population, recording.at);
  }
}

}  // namespace hillock::simulator
