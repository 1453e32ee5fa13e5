// Runs models, saves each at random steps, and resumes from every one of these on another number of
// threads and with other epochs: spikes and samples must be the same to the bit, and so must what
// is saved later on.
//
// And from the first of them with the network cut in two, as ranks have it.
//
//     resume_anywhere STEPS SEED [cuda] MODEL...      STEPS: how many; cuda: what is saved and
//     resumed runs on a GPU, beside a whole run on the CPU

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "core/state/packed_state.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "tests/simulator/networks.hpp"
#include "tests/simulator/part_of_network.hpp"

namespace {

using namespace hillock;
using simulator::MemorySink;
using Saved = std::map<std::int64_t, State>;

struct Outcome {
  MemorySink sink;
  /// [population]: the sink's blocks are in order, one by one, and of a population they all are.
  network::SpikeLists spikes;
  Saved saved;
  std::int64_t epoch_steps = 0;
};

/// How a run goes.
struct Way {
  int threads = 1;
  std::int64_t epoch_steps = 400;
  simulator::Backend backend = simulator::Backend::cpu;
};

simulator::SimulationOptions options_of(const command::LoadedModel& model, const Way& way) {
  simulator::SimulationOptions options;
  options.backend = way.backend;
  options.mechanisms = model.mechanisms;
  options.threads = way.threads;
  options.most_epoch_steps = way.epoch_steps;
  return options;
}

/// from: null for a whole run. every: 0 saves nothing; what is saved beyond a dozen is not kept.
Outcome run(const command::LoadedModel& model, const Way& way, std::int64_t every,
            const State* from) {
  Outcome outcome;
  simulator::Simulation simulation(model.network, options_of(model, way));
  simulator::Saving saving;
  saving.every_steps = every;
  if (every > 0)
    saving.keep = [&](State state, std::int64_t step) {
      if (step <= 12 * every) outcome.saved.emplace(step, std::move(state));
    };
  const auto ignore = [](const simulator::Progress&) {};
  if (from)
    simulation.resume(*from, outcome.sink, ignore, saving);
  else
    simulation.run(outcome.sink, ignore, saving);
  outcome.sink.reports.resize(simulation.reports().size());
  outcome.spikes.resize(model.network.populations.size());
  for (const network::CellSpike& spike : outcome.sink.all_spikes)
    outcome.spikes[model.network.population_of(spike.cell).first.value].push_back(spike);
  for (std::vector<network::CellSpike>& spikes : outcome.spikes)  // an epoch's have no order
    std::ranges::stable_sort(spikes, {}, [](const network::CellSpike& spike) {
      return std::pair(spike.time_ms, spike.cell.value);
    });
  outcome.epoch_steps = simulation.counts().epoch_steps;
  return outcome;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_state(const State& a, const State& b, std::string& difference) {
  if (pack(a) == pack(b)) return true;
  difference = "the run's columns, or those that are there";
  for (const auto& [population, some] : a.of_cells()) {
    const auto others = b.of_cells().find(population);
    if (others == b.of_cells().end()) return false;
    for (const auto& [name, column] : some.columns) {
      const auto other = others->second.columns.find(name);
      if (other != others->second.columns.end() && column.numbers == other->second.numbers &&
          column.counts == other->second.counts)
        continue;
      difference = population + '/' + name;
      if (other == others->second.columns.end()) return false;
      const auto &mine = column.numbers, &its = other->second.numbers;
      for (std::size_t i = 0; i < std::min(mine.size(), its.size()); ++i)
        if (!same_bits(mine[i], its[i])) {
          difference += fmt::format(", number {}: {} instead of {}", i, mine[i], its[i]);
          break;
        }
      return false;
    }
  }
  return false;
}

/// Whether what is left of the whole run's list is the end of it.
template <class Item, class Same>
bool is_end_of(const std::vector<Item>& end, const std::vector<Item>& whole, const Same& same) {
  if (end.size() > whole.size()) return false;
  const std::size_t first = whole.size() - end.size();
  for (std::size_t i = 0; i < end.size(); ++i)
    if (!same(end[i], whole[first + i])) return false;
  return true;
}

bool same_spike(const network::CellSpike& a, const network::CellSpike& b) {
  return same_bits(a.time_ms, b.time_ms) && a.cell == b.cell;
}

/// What of the whole run's end is not as in the other, or an empty text.
std::string difference(const Outcome& end, const Outcome& whole) {
  for (std::size_t p = 0; p < whole.spikes.size(); ++p)
    if (!is_end_of(end.spikes[p], whole.spikes[p], same_spike)) return "spikes differ";
  for (std::size_t r = 0; r < whole.sink.reports.size(); ++r)
    if (!is_end_of(end.sink.reports[r], whole.sink.reports[r], same_bits))
      return "samples of report " + std::to_string(r) + " differ";
  return {};
}

/// Means of potentials are a simulation's, which parts are none of; command.rank_checkpoints has
/// them resumed on ranks.
State without_means(const State& all) {
  State some = all;
  for (const auto& [population, cells] : all.of_cells())
    std::erase_if(some.of(population).columns,
                  [](const auto& column) { return column.first.starts_with("mean of record "); });
  return some;
}

/// What two halves of the network save that go on from the first state until the second, where it
/// is not the second; or an empty text.
std::string difference_in_parts(const command::LoadedModel& model, const Outcome& saved,
                                std::int64_t step) {
  const auto later = saved.saved.find(2 * step);
  if (later == saved.saved.end()) return {};
  const auto kind =
      step % 2 == 0 ? models::PlacementKind::blocks : models::PlacementKind::round_robin;
  State joined = simulator::resumed_in_parts(model.network, model.mechanisms, kind, 2,
                                             without_means(saved.saved.at(step)), step, 2 * step,
                                             saved.epoch_steps);
  for (const auto& [name, column] : later->second.of_run()) joined[name] = column;
  std::string what;
  return same_state(joined, without_means(later->second), what) ? "" : "in parts: " + what;
}

int check(const std::string& file, int count, simulator::Backend backend, std::mt19937_64& random) {
  command::LoadedModel model =
      command::load_model({file, {}}, command::OwnMechanisms::loaded, command::Use::run);
  const std::int64_t steps = model.network.run.steps;
  const Outcome whole = run(model, {}, 0, nullptr);
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    const auto step =
        1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steps - 1));
    const auto fail = [&](const std::string& what) {
      std::printf("FAIL %s: saved at step %lld of %lld: %s\n", file.c_str(),
                  static_cast<long long>(step), static_cast<long long>(steps), what.c_str());
      ++failures;
    };
    const Outcome saved = run(model, {1 + i % 3, 1 + i * i % 400, backend}, step, nullptr);
    if (saved.sink.all_spikes.size() != whole.sink.all_spikes.size()) fail("spikes differ");
    if (const auto what = difference(saved, whole); !what.empty()) fail("the saved run: " + what);
    const auto from = saved.saved.find(step);
    if (from == saved.saved.end()) {
      fail("it was not saved");
      continue;
    }
    const Outcome rest =
        run(model, {1 + (i + 1) % 3, i % 2 ? 400 : 1 + i, backend}, step, &from->second);
    if (const auto what = difference(rest, whole); !what.empty()) fail(what);
    if (rest.saved.size() + 1 != saved.saved.size()) fail("later states are missing");
    if (i == 0 && backend == simulator::Backend::cpu)
      if (const auto what = difference_in_parts(model, saved, step); !what.empty()) fail(what);
    for (const auto& [other, state] : rest.saved)
      if (std::string what; !same_state(state, saved.saved.at(other), what)) {
        fail("what is saved at step " + std::to_string(other) + " differs: " + what);
        break;
      }
  }
  std::printf("%s: %zu spikes, resumed %d times\n", file.c_str(), whole.sink.all_spikes.size(),
              count);
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool on_cuda = std::string(argv[3]) == "cuda";
  const auto backend = on_cuda ? simulator::Backend::cuda : simulator::Backend::cpu;
  std::mt19937_64 random(static_cast<std::uint64_t>(std::atoll(argv[2])));
  int failures = 0;
  for (int i = on_cuda ? 4 : 3; i < argc; ++i) try {
      failures += check(argv[i], std::atoi(argv[1]), backend, random);
    } catch (const std::exception& error) {
      std::printf("FAIL %s: %s\n", argv[i], error.what());
      ++failures;
    }
  return failures == 0 ? 0 : 1;
}
