#pragma once
// Spikes that are known after their time: a point neuron's whose step is several of the run's, and
// whose spikes have the time of the step's beginning. And how long such steps are.

#include <cstddef>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "simulator/plan/network/epoch_length.hpp"

namespace hillock::simulator {

/// Of every population that makes some, without delays.
std::vector<LateSpikes> find_late_spikes(const models::Network& network,
                                         const mechanisms::Registry& mechanisms);

/// Notes the shortest delay of a projection's. Throws InvalidModel where late spikes arrive before
/// they are known.
void add_delay(const models::Network& network, std::size_t projection, double shortest_ms,
               std::vector<LateSpikes>& late);

/// The longest step of a population: a spike may be rounded to it as it arrives.
double longest_step_ms(const models::Network& network);

}  // namespace hillock::simulator
