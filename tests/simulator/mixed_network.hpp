#pragma once
// A network of all kinds of cells, for what must hold of any.

#include <string>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {

inline models::CableCell tree() {
  models::RandomTree shape;
  shape.depth = 3;
  shape.branch_probability = {0.6, 0.6};
  shape.compartments = {5, 2};
  models::CableCell cell;
  cell.morphology = shape;
  cell.regions.push_back(passive(1e-3, -65));
  models::RegionSettings soma;
  soma.region.name = "soma";
  soma.mechanisms.push_back({"hh", {}, {}});
  cell.regions.push_back(soma);
  models::RegionSettings dend;
  dend.region.name = "dend";
  for (const char* mechanism : {"cal", "capool", "sk"})
    dend.mechanisms.push_back({mechanism, {}, {}});
  cell.regions.push_back(dend);
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  return cell;
}

inline models::CableCell ball() {
  models::CableCell cell;
  cell.morphology = models::Morphology{{cylinder("soma", -1, 20, 20, 1)}};
  models::RegionSettings all = passive(1e-4, -65);
  all.mechanisms.push_back({"hh", {}, {}});
  cell.regions.push_back(all);
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  return cell;
}

inline void connect(models::Network& network, std::uint32_t from, std::uint32_t to, double weight,
                    double delay_ms) {
  models::Projection p;
  p.name = std::to_string(from) + "->" + std::to_string(to);
  p.from = whole(network, from);
  p.to = whole(network, to);
  p.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  p.connect.number = 3;
  p.connect.multapses = models::Multapses::allowed;
  p.weight = weight;
  p.delay.base_ms = delay_ms;
  if (!std::holds_alternative<models::ArtificialCell>(network.cells[to].kind))
    p.link = models::Synapse{{"tmsyn", {}, {}}, at("soma", 0.5), false};
  network.projections.push_back(p);
}

inline void drive(models::Network& network, std::uint32_t to, std::uint64_t begin,
                  std::uint64_t end, double stop_ms) {
  models::PoissonSource poisson;
  poisson.rate_Hz = 300.0;
  poisson.period.stop_ms = stop_ms;
  models::EventSource source;
  source.source = poisson;
  source.weight = 0.05;
  if (!std::holds_alternative<models::ArtificialCell>(network.cells[to].kind))
    source.synapse = models::Synapse{{"expsyn", {}, {}}, at("soma", 0.5), false};
  else
    source.weight = 1.1;
  models::Stimulus stimulus;
  stimulus.to = whole(network, to);
  stimulus.to.begin = begin;
  stimulus.to.end = end;
  stimulus.kind = source;
  network.stimuli.push_back(stimulus);
}

/// Random trees, cells of one compartment and artificial ones, connected all round by synapses that
/// remember; trains onto some cells only, of which some end; calcium where a tree has a dendrite.
inline models::Network mixed_network() {
  models::Network network;
  network.run.dt_ms = 0.025;
  network.run.steps = 1200;
  network.run.duration_ms = 30;
  network.run.seed = 3;
  network.cells.push_back({"tree", tree(), {}});
  network.cells.push_back({"ball", ball(), {}});
  network.cells.push_back(
      {"fire", models::ArtificialCell{{"intfire", {{"tau", 10.0}, {"refrac", 2.0}}, {}}}, {}});
  network.populations.push_back({"trees", 0, 23, {}, {}});
  network.populations.push_back({"balls", 1, 70, {}, {}});
  network.populations.push_back({"fires", 2, 9, {}, {}});
  connect(network, 0, 1, 0.01, 1.3);
  connect(network, 1, 0, 0.02, 2.7);
  connect(network, 2, 1, 0.03, 5.2);
  connect(network, 1, 2, 0.6, 1.7);
  drive(network, 0, 0, 11, 1e9);
  drive(network, 0, 8, 23, 4);
  drive(network, 1, 60, 70, 1e9);
  drive(network, 1, 5, 6, 1e9);
  drive(network, 2, 0, 4, 1e9);
  record(network, {}, at("soma", 0.5));
  return network;
}

}  // namespace hillock::simulator
