#include "simulator/plan/of_populations.hpp"

#include <variant>

namespace hillock::simulator {

OfPopulations::OfPopulations(const models::Network& network)
    : projections(network.populations.size()),
      stimuli(network.populations.size()),
      recordings(network.populations.size()),
      report_of(network.recordings.size()) {
  for (std::uint32_t p = 0; p < network.projections.size(); ++p) {
    const models::Projection& projection = network.projections[p];
    const PopulationId from = projection.from.population, to = projection.to.population;
    projections[to.value].push_back(p);
    if (std::holds_alternative<models::GapJunction>(projection.link) && from != to)
      projections[from.value].push_back(p);
  }
  for (std::uint32_t s = 0; s < network.stimuli.size(); ++s)
    stimuli[network.stimuli[s].to.population.value].push_back(s);
  std::uint32_t report = 0;
  for (std::uint32_t r = 0; r < network.recordings.size(); ++r) {
    if (!network.recordings[r].variable) continue;
    recordings[network.recordings[r].of.population.value].push_back(r);
    report_of[r] = report++;
  }
}

}  // namespace hillock::simulator
