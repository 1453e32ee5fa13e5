#include "simulator/plan/network/point_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors/errors.hpp"
#include "network/propagation/sum_grid.hpp"
#include "simulator/plan/range/plan.hpp"

namespace hillock::simulator {

namespace {

/// Weights that change stay between 0 and w_max, where they begin.
void check_bounds(const models::Projection& projection, const network::FanIn& connections) {
  const double bound = projection.stdp->w_max;
  for (std::size_t e = 0; e < (connections.has_one_weight() ? 1 : connections.size()); ++e) {
    const double weight = connections.size() > 0 ? connections.weight(e) : 0;
    if (weight < std::min(0.0, bound) || weight > std::max(0.0, bound))
      reject(projection.weight.place(),
             fmt::format("a weight comes out as {:.6g} (weights with plasticity lie between 0 and "
                         "w_max, here {:.6g}; truncate the distribution)",
                         weight, bound));
  }
}

void check_connection_counts(const models::Network& network, const RangePlan& range) {
  std::uint64_t all = 0;
  for (const network::FanInTable& table : range.projections) all += table.connections.size();
  if (all <= network::SumGrid::most_connections) return;
  std::vector<std::uint64_t> onto(range.cell_count());
  for (const network::FanInTable& table : range.projections)
    for (std::size_t e = 0; e < table.connections.size(); ++e)
      ++onto[table.connections.instance(e)];
  const auto most = std::ranges::max_element(onto);
  if (*most <= network::SumGrid::most_connections) return;
  const auto most_of = std::ranges::max_element(
      range.projections, {}, [](const auto& table) { return table.connections.size(); });
  reject(network.projections[most_of->projection].place,
         fmt::format("{}[{}] has {} connections; at most {} can be added up in a point neuron",
                     range.population->name,
                     range.indices[static_cast<std::size_t>(most - onto.begin())], *most,
                     network::SumGrid::most_connections));
}

void check_largest(double largest, double onto, const std::string& population, const Place& place) {
  if (largest == 0 || largest >= onto * network::SumGrid::least_ratio) return;
  reject(place,
         fmt::format("the largest weight here is {:.6g} and the largest onto {} {:.6g}: what "
                     "arrives in a point neuron is added up in whole multiples of one "
                     "number, so here it must be at least {:.6g}",
                     largest, population, onto, onto * network::SumGrid::least_ratio));
}

/// A draw of events is at most 2^10 of them, and all stimuli together are as many as connections.
void check_draws(const models::Network& network, const RangePlan& range) {
  constexpr std::size_t most = network::SumGrid::most_connections >> 10;
  std::size_t draws = 0;
  for (const StepInput& input : range.step_inputs)
    if (const auto* counts = std::get_if<EventCounts>(&input); counts && ++draws > most)
      reject(network.stimuli[counts->neurons.stimulus].place,
             fmt::format("at most {} poisson stimuli can drive the neurons of {}", most,
                         range.population->name));
}

}  // namespace

void RangeWeights::add_to(PointWeights& all, PopulationId population) const {
  double& onto = all.onto_population[population.value];
  const auto add = [&](const auto& some, std::vector<double>& to) {
    for (const auto& [number, largest] : some) {
      to[number] = std::max(to[number], largest);
      onto = std::max(onto, largest);
    }
  };
  add(of_projections, all.of_projection);
  add(of_stimuli, all.of_stimulus);
}

RangeWeights find_largest_weights(const models::Network& network, const RangePlan& range) {
  check_connection_counts(network, range);
  check_draws(network, range);
  RangeWeights weights;
  for (const network::FanInTable& table : range.projections) {
    const models::Projection& projection = network.projections[table.projection];
    if (projection.stdp) check_bounds(projection, table.connections);
    weights.of_projections.emplace_back(table.projection, projection.stdp
                                                              ? std::abs(projection.stdp->w_max)
                                                              : table.connections.largest_weight());
  }
  for (const network::FanInTable& table : range.stimuli)
    weights.of_stimuli.emplace_back(table.projection, table.connections.largest_weight());
  for (const StepInput& input : range.step_inputs)
    if (const auto* counts = std::get_if<EventCounts>(&input))
      weights.of_stimuli.emplace_back(counts->neurons.stimulus, counts->largest_weight());
  return weights;
}

void check_point_weights(const models::Network& network, const PointWeights& weights) {
  const auto check = [&](double largest, PopulationId to, const Place& place) {
    check_largest(largest, weights.onto(to), network.populations[to.value].name, place);
  };
  for (std::size_t p = 0; p < weights.of_projection.size(); ++p)
    check(weights.of_projection[p], network.projections[p].to.population,
          network.projections[p].place);
  for (std::size_t s = 0; s < weights.of_stimulus.size(); ++s)
    check(weights.of_stimulus[s], network.stimuli[s].to.population, network.stimuli[s].place);
}

}  // namespace hillock::simulator
