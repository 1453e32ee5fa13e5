#include "simulator/plan/network/late_spikes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/range_builder.hpp"

namespace hillock::simulator {

std::vector<LateSpikes> find_late_spikes(const models::Network& network,
                                         const mechanisms::Registry& mechanisms) {
  std::vector<LateSpikes> late;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const std::int64_t run_steps = network.step_of(PopulationId(p)).run_steps;
    const models::MechanismUse* const own = mechanism_of_cells(network, PopulationId(p));
    if (run_steps > 1 && own && mechanism_of(*own, mechanisms).info->spikes_at_beginning)
      late.push_back({PopulationId(p), run_steps});
  }
  return late;
}

void add_delay(const models::Network& network, std::size_t projection, double shortest_ms,
               std::vector<LateSpikes>& late) {
  const models::Projection& model = network.projections[projection];
  const auto found = std::ranges::find(late, model.from.population, &LateSpikes::from);
  if (found == late.end() || shortest_ms <= 0) return;
  const double step_ms = network.step_of(found->from).ms;
  if (shortest_ms < step_ms * (1 - 1e-9))
    reject(model.delay.place,
           fmt::format("the shortest delay is {:.6g} ms, and a spike of {} has the time of the "
                       "beginning of its step, at the end of which it is known: a delay must be at "
                       "least this step, {:.6g} ms",
                       shortest_ms, network.populations[found->from.value].name, step_ms));
  found->shortest_delay_ms = std::min(found->shortest_delay_ms, shortest_ms);
}

double longest_step_ms(const models::Network& network) {
  double longest = network.run.dt_ms;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p)
    longest = std::max(longest, network.step_of(PopulationId(p)).ms);
  return longest;
}

}  // namespace hillock::simulator
