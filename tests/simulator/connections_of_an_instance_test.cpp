// FOR_NETCONS: an instance that connections share goes through those of its own cell alone
// (emitted/tally.mod).

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "emitted/TallyTest.hpp"
#include "tests/simulator/emitted_mechanism.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

constexpr std::uint64_t instances = 13;  // more than a pack has lanes

/// Trains onto the first cells, of weights that tell them apart.
models::Network tallied() {
  auto network = passive_network(instances);
  network.run.steps = 200;
  network.run.duration_ms = 5;
  for (const auto& [end, weight, times] : {std::tuple{instances, 1.0, std::vector<double>{1, 2, 3}},
                                           {std::uint64_t{9}, 100.0, {1.5, 2.5}},
                                           {std::uint64_t{4}, 10000.0, {0.5, 1, 2.75, 4}}}) {
    models::EventSource source;
    source.source = models::SpikeTimes{times, {}};
    source.synapse = {{"tally", {}, {}}, at("soma", 0.5), true};
    source.weight = weight;
    network.stimuli.push_back({"", {PopulationId(0), 0, end, {}}, source, {}});
  }
  return network;
}

double last_of(const std::string& variable, std::uint64_t cell) {
  auto network = tallied();
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "tally", variable, ""},
         at("soma", 0.5));
  SimulationOptions options;
  options.mechanisms.add(emitted_mechanism<mechanisms::TallyTest>());
  const auto rows = simulate(network, options).reports.at(0);
  return rows[rows.size() - instances + cell];
}

TEST(Connections, OfAnInstanceAreThoseOfItsCell) {
  for (std::uint64_t cell = 0; cell < instances; ++cell) {
    const int trains = cell < 4 ? 3 : cell < 9 ? 2 : 1;
    EXPECT_EQ(last_of("connections", cell), trains) << cell;
    EXPECT_EQ(last_of("total", cell), 3 + (trains > 1 ? 200 : 0) + (trains > 2 ? 40000 : 0))
        << cell;
  }
}

}  // namespace
}  // namespace hillock::simulator
