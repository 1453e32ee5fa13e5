#pragma once
// Events of stimuli onto neurons that add up their input.

#include <cstdint>
#include <span>

#include "network/inbox.hpp"
#include "network/propagation/sum_grid.hpp"
#include "network/trains.hpp"

namespace hillock::network {

/// Calls body(step, neuron, sum) for what arrives at steps [first, last). tables: of the trains, by
/// number; their instances are neurons.
template <class Body>
void drive_inputs(Trains& trains, std::span<const FanInTable> tables, const SumGrid& grid,
                  std::int64_t first, std::int64_t last, double dt_ms, const Body& body) {
  trains.drive(first, last, {.dt_ms = dt_ms},
               [&](std::int64_t step, double, const DrivenCell& driven) {
                 const FanIn& connections = tables[driven.table].connections;
                 const Entries entries = connections.of(driven.number);
                 for (std::uint32_t e = entries.begin; e < entries.end; ++e)
                   body(step, connections.instance(e), grid.multiple_of(connections.weight(e)));
               });
}

}  // namespace hillock::network
