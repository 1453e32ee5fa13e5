#include "tests/simulator/cuda/host_form/again.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <variant>
#include <vector>

#include "core/errors/errors.hpp"
#include "simulator/session/thresholds.hpp"
#include "tests/simulator/cuda/host_form/runs.hpp"

namespace host_form {

namespace {

constexpr std::size_t copies = 3;
using FieldPointer = std::shared_ptr<const models::Field>;
using Factors = std::vector<double>;  ///< [copy][cell]

void run_again(simulator::Simulation& simulation, simulator::MemorySink& sink,
               std::uint32_t stimulus, const Factors& factors) {
  sink = {};
  simulation.run_again(sink, {stimulus, factors}, [](const simulator::Progress&) {});
  sort_by_cell(sink);
}

/// Whether a run does in which one cell feels more than numbers hold; the next one is none the
/// worse for it.
bool fails(simulator::Simulation& simulation, std::uint32_t stimulus, Factors factors) {
  factors.back() = 1e300;
  simulator::MemorySink sink;
  try {
    run_again(simulation, sink, stimulus, factors);
  } catch (const NumericalFailure&) {
    return true;
  }
  return false;
}

/// Those of one of several copies, as its cells.
simulator::MemorySink of_copy(const simulator::MemorySink& all, std::size_t copy,
                              std::uint64_t cells) {
  simulator::MemorySink some;
  for (network::CellSpike spike : all.all_spikes) {
    if (spike.cell.value / cells != copy) continue;
    spike.cell.value %= cells;
    some.all_spikes.push_back(spike);
  }
  return some;
}

/// What a search finds, and in how many runs, with so many tries at once.
session::Thresholds found_by(simulator::BackendWish backend, int tries, const std::string& file,
                             const std::string& duration, const std::string& population,
                             std::uint32_t stimulus) {
  session::ModelSource source;
  source.file = file;
  source.overrides = {{"run.duration", duration}};
  simulator::Activity activity;
  return session::find_thresholds(
      source, {fmt::format("stimuli.{}.field.scale", stimulus), population, {0, 200, 0.05}},
      {backend, 2, {activity, [](const std::string&) {}}, [] {}, tries});
}

}  // namespace

void check_again(const std::string& file, const std::string& duration) {
  command::LoadedModel model = load(file, {"run.duration=" + duration});
  models::Network& network = model.network;
  network.recordings.clear();
  const auto found = std::ranges::find_if(network.stimuli, [](const models::Stimulus& some) {
    return std::holds_alternative<FieldPointer>(some.kind);
  });
  if (found == network.stimuli.end()) throw std::runtime_error("no field");
  const auto stimulus = static_cast<std::uint32_t>(found - network.stimuli.begin());
  const std::size_t cells = network.populations[found->to.population.value].size;
  std::vector<Factors> rounds;
  for (const double strength : {0.3, 1.0, 3.0, 0.3}) {
    Factors& factors = rounds.emplace_back();
    for (std::size_t at = 0; at < copies * cells; ++at)
      factors.push_back(strength * (1 + 0.4 * static_cast<double>(at)));
  }
  std::set<std::size_t> counts;  // of spikes
  for (const char* solver : {"exact", "hines"}) {
    network.run.solver = solver;
    simulator::SimulationOptions options = options_for(model, simulator::Backend::cuda);
    options.copies = {.wanted = copies};
    simulator::Simulation cuda(network, options);
    network.run.solver = "exact";
    simulator::Simulation cpu(network, options_for(model, simulator::Backend::cpu));
    if (!cuda.may_run_again() || !cpu.may_run_again() || cuda.copies() != copies)
      throw std::runtime_error("it does not run again");
    for (const Factors& factors : rounds) {
      simulator::MemorySink all, wanted;
      if (&factors == &rounds[1] && !fails(cuda, stimulus, factors))
        throw std::runtime_error("a field without bounds is no failure");
      run_again(cuda, all, stimulus, factors);
      for (std::size_t copy = 0; copy < copies; ++copy) {
        const auto begin = factors.begin() + static_cast<std::ptrdiff_t>(copy * cells);
        const Factors of_one(begin, begin + static_cast<std::ptrdiff_t>(cells));
        run_again(cpu, wanted, stimulus, of_one);
        counts.insert(wanted.all_spikes.size());
        if (difference(of_copy(all, copy, network.cell_count()), wanted, 0) != 0)
          throw std::runtime_error(
              fmt::format("solver {}: copy {} spikes otherwise", solver, copy));
      }
    }
  }
  // What a cell feels less or more of is a field that is weaker or stronger.
  simulator::MemorySink again;
  simulator::Simulation cpu(network, options_for(model, simulator::Backend::cpu));
  run_again(cpu, again, stimulus, rounds[0]);
  run_again(cpu, again, stimulus, Factors(cells, 2.5));
  auto field = std::make_shared<models::Field>(*std::get<FieldPointer>(found->kind));
  if (!field->scale.is_constant()) throw std::runtime_error("its strength varies");
  field->scale = 2.5 * field->scale.constant();
  found->kind = FieldPointer(std::move(field));
  auto fresh = simulator::simulate(network, options_for(model, simulator::Backend::cpu));
  sort_by_cell(fresh);
  difference(again, fresh, 1e-9);
  const std::string& population = network.populations[found->to.population.value].name;
  const auto one = found_by(simulator::BackendWish::cpu, 0, file, duration, population, stimulus);
  for (const int tries : {1, 3}) {
    const auto some =
        found_by(simulator::BackendWish::cuda, tries, file, duration, population, stimulus);
    if (some.of_cells != one.of_cells || (some.runs < one.runs) != (tries > 1))
      throw std::runtime_error(fmt::format("{} at once: thresholds {} in {} runs, not {} in {}",
                                           tries, fmt::join(some.of_cells, " "), some.runs,
                                           fmt::join(one.of_cells, " "), one.runs));
  }
  if (counts.size() < 3) throw std::runtime_error("all strengths give as many spikes");
  fmt::print("{}: {} strengths, up to {} spikes\n", file, copies * rounds.size(), *counts.rbegin());
}

}  // namespace host_form
