#pragma once
// Small networks made in code, and a sink that keeps what a run gives.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/loop/simulation.hpp"

namespace hillock::simulator {

using models::Locations;

class MemorySink final : public RunSink {
 public:
  void spikes(std::span<const network::CellSpike> spikes) override {
    all_spikes.insert(all_spikes.end(), spikes.begin(), spikes.end());
  }
  void rows(std::size_t report, std::vector<double> rows) override {
    if (report >= reports.size()) reports.resize(report + 1);
    reports[report].insert(reports[report].end(), rows.begin(), rows.end());
  }
  std::vector<network::CellSpike> all_spikes;
  std::vector<std::vector<double>> reports;
};

inline MemorySink simulate(const models::Network& network, SimulationOptions options = {}) {
  MemorySink sink;
  Simulation(network, options).run(sink, [](const Progress&) {});
  return sink;
}

inline Locations at(const std::string& branch, double position) {
  Locations locations;
  locations.region.name = branch;
  locations.position = position;
  locations.text = branch;
  return locations;
}

inline models::Branch cylinder(const std::string& name, int parent, double length, double diameter,
                               int compartments) {
  models::Branch branch{name, name.substr(0, name.find('[')), parent, 1, {}, compartments};
  branch.points = {{0, 0, 0, diameter}, {length, 0, 0, diameter}};
  return branch;
}

inline models::RegionSettings passive(double g, double e) {
  models::RegionSettings all;
  all.cm_uF_per_cm2 = models::Value(1.0);
  all.Ra_ohm_cm = models::Value(100.0);
  all.mechanisms.push_back({"pas", {{"g", g}, {"e", e}}, {}});
  return all;
}

/// One population of `size` cells of one cylinder with a leak.
inline models::Network passive_network(std::uint64_t size) {
  models::Network network;
  network.run.dt_ms = 0.025;
  network.run.steps = 400;
  network.run.duration_ms = 10;
  models::CableCell cell;
  cell.morphology = models::Morphology{{cylinder("soma", -1, 20, 20, 1)}};
  cell.regions.push_back(passive(1e-3, -65));
  network.cells.push_back({"cell", cell, {}});
  network.populations.push_back({"p", 0, size, {}, {}});
  return network;
}

inline models::PopulationSlice whole(const models::Network& network, std::uint32_t p = 0) {
  return {PopulationId(p), 0, network.populations[p].size, {}};
}

inline void record(models::Network& network, models::RecordedVariable variable, Locations where) {
  models::Recording recording;
  recording.name = "r";
  recording.of = whole(network);
  recording.variable = std::move(variable);
  recording.at = std::move(where);
  recording.every_ms = network.run.dt_ms;
  recording.stop_ms = network.run.duration_ms;
  network.recordings.push_back(recording);
}

}  // namespace hillock::simulator
