#pragma once
// Networks of point neurons made in code, whose spikes can be followed by hand.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {

/// Such an input makes Izhikevich's neuron spike at once, whatever came before.
inline constexpr double spark = 2000;

/// A projection of sparks from all of a population to all of another.
inline models::Projection& project(models::Network& network, models::ConnectionRule::Kind kind,
                                   std::uint32_t from = 0, std::uint32_t to = 1) {
  models::Projection projection;
  projection.from = whole(network, from);
  projection.to = whole(network, to);
  projection.connect.kind = kind;
  projection.weight = spark;
  network.projections.push_back(projection);
  return network.projections.back();
}

/// A connection of a projection that has a list.
inline void add_row(models::Projection& list, std::uint64_t source, std::uint64_t target,
                    std::optional<double> weight, std::optional<double> delay_ms) {
  models::ConnectionRows& rows = list.connect.rows;
  rows.sources.push_back(static_cast<std::uint32_t>(source));
  rows.targets.push_back(static_cast<std::uint32_t>(target));
  if (weight) rows.weights.push_back(*weight);
  if (delay_ms) rows.delays_ms.push_back(*delay_ms);
  ++rows.listed;
}

/// Sparks for each cell of a population, at its times.
inline void spark_at(models::Network& network, std::uint32_t to,
                     std::vector<std::vector<double>> times_ms) {
  models::EventSource events;
  models::SpikeTimes times;
  times.per_cell = std::move(times_ms);
  events.source = std::move(times);
  events.weight = spark;
  network.stimuli.push_back({"", whole(network, to), events, {}});
}

}  // namespace hillock::simulator
