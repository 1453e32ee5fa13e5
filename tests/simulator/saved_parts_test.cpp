// What is saved does not tell who had which cells: parts of a network go on from the whole's state,
// and what they save is the whole's.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/packed_state.hpp"
#include "tests/simulator/part_of_network.hpp"

namespace hillock::simulator {
namespace {

models::CableCell tree() {
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

models::CableCell ball() {
  models::CableCell cell;
  cell.morphology = models::Morphology{{cylinder("soma", -1, 20, 20, 1)}};
  models::RegionSettings all = passive(1e-4, -65);
  all.mechanisms.push_back({"hh", {}, {}});
  cell.regions.push_back(all);
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  return cell;
}

void connect(models::Network& network, std::uint32_t from, std::uint32_t to, double weight,
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

void drive(models::Network& network, std::uint32_t to, std::uint64_t begin, std::uint64_t end,
           double stop_ms) {
  models::PoissonSource poisson;
  poisson.rate_Hz = 300.0;
  poisson.stop_ms = stop_ms;
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
models::Network mixed_network() {
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

/// What a run of all cells saves every 250 steps.
std::map<std::int64_t, State> saved_by_all(const models::Network& network, int threads) {
  std::map<std::int64_t, State> saved;
  SimulationOptions options;
  options.threads = threads;
  Saving saving;
  saving.every_steps = 250;
  saving.keep = [&](State state, std::int64_t step) { saved.emplace(step, std::move(state)); };
  MemorySink sink;
  Simulation(network, options)
      .run(
          sink, [](const Progress&) {}, saving);
  EXPECT_GT(sink.all_spikes.size(), 50u);
  return saved;
}

TEST(SavedParts, SplitBySpansAndStridesAndJoinedAgainAreTheWhole) {
  const models::Network network = mixed_network();
  const State whole = saved_by_all(network, 2).at(500);
  const auto expected = pack(whole);
  const auto& trees = whole.of_cells().at("trees").columns;
  EXPECT_FALSE(trees.at("v").counts.is_one());
  const CellCounts& calcium = trees.at("ion/ca/inside").counts;
  EXPECT_GT(std::ranges::count(calcium.many(), 0u), 0);
  EXPECT_LT(std::ranges::count(calcium.many(), 0u), 23);
  EXPECT_TRUE(whole.of_cells().at("balls").columns.contains("spikes/time"));
  for (const std::uint64_t count : {2u, 3u})
    for (const bool strided : {false, true}) {
      std::vector<State> parts;
      for (std::uint64_t k = count; k-- > 0;) {
        std::map<std::string, CellIndices> cells;
        for (const auto& population : network.populations)
          for (std::uint64_t i = 0; i < population.size; ++i)
            if ((strided ? i % count : i * count / population.size) == k)
              cells[population.name].push_back(i);
        parts.push_back(unpack(pack(StateCutter(whole).cut(cells))));
      }
      EXPECT_EQ(pack(joined(std::move(parts))), expected) << count << strided;
    }
}

TEST(SavedParts, ThreadsDoNotShow) {
  const models::Network network = mixed_network();
  const auto one = saved_by_all(network, 1), three = saved_by_all(network, 3);
  for (const auto& [step, state] : one) EXPECT_EQ(pack(state), pack(three.at(step))) << step;
}

TEST(SavedParts, GoOnTogetherAsTheWholeDoes) {
  const models::Network network = mixed_network();
  const auto saved = saved_by_all(network, 1);
  using models::PlacementKind;
  for (const auto kind : {PlacementKind::blocks, PlacementKind::round_robin, PlacementKind::cost})
    for (const int count : {1, 2, 3, 30}) {  // more than cells of one population
      State later = resumed_in_parts(network, {}, kind, count, saved.at(250), 250, 750, 52);
      for (const char* of_run : {"run/step", "run/spikes"})
        later[of_run] = saved.at(750).of_run().at(of_run);
      EXPECT_EQ(pack(later), pack(saved.at(750))) << count;
    }
}

TEST(SavedParts, ARankRefusesWhatItsCellsAreNotIn) {
  const models::Network network = mixed_network();
  const State whole = saved_by_all(network, 1).at(250);
  const auto kind = models::PlacementKind::blocks;
  const network::Placement first(network, kind, 0, 2), second(network, kind, 1, 2);
  const State half = StateCutter(whole).cut(cells_of(network, first));
  PartOfNetwork part(network, {}, second, 1);
  EXPECT_THROW(part.restore(half, 250, 52, 10, false), StateMismatch);
}

}  // namespace
}  // namespace hillock::simulator
