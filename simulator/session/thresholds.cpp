#include "simulator/session/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "core/errors/errors.hpp"
#include "simulator/session/run_summary.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

using FieldPointer = std::shared_ptr<const models::Field>;

/// Whose thresholds are looked for.
struct Wanted {
  const ThresholdWish& wish;
  PopulationId population;
  CellId first;
  std::size_t cells = 0, of_network = 0;
};

/// Keeps which cells of a population spike in time, recorded or not, and copies of them: of these
/// every cell of the network is as many behind as it has cells.
class SpikedCells final : public simulator::RunSink {
 public:
  SpikedCells(const Wanted& wanted, std::size_t copies)
      : wanted_(wanted), has_spiked_(copies * wanted.cells, false) {}

  void spikes(std::span<const network::CellSpike> spikes) override {
    const ThresholdWish& wish = wanted_.wish;
    for (const network::CellSpike& spike : spikes) {
      const std::uint64_t copy = spike.cell.value / wanted_.of_network;
      const std::uint64_t cell = spike.cell.value % wanted_.of_network - wanted_.first.value;
      if (cell < wanted_.cells && spike.time_ms >= wish.from_ms && spike.time_ms < wish.until_ms)
        has_spiked_[copy * wanted_.cells + cell] = true;
    }
  }
  void rows(std::size_t, std::vector<double>) override {}

  /// [copy][cell]
  std::vector<bool> are_enough() {
    if (wanted_.wish.block) has_spiked_.flip();
    return std::move(has_spiked_);
  }

 private:
  const Wanted& wanted_;
  std::vector<bool> has_spiked_;
};

/// Of what was asked for; throws UsageError where it is nothing.
PopulationId find_population(const models::Network& network, const std::string& name) {
  const auto named = std::ranges::find(network.populations, name, &models::Population::name);
  if (named != network.populations.end())
    return PopulationId(static_cast<std::uint32_t>(named - network.populations.begin()));
  std::vector<std::string> known;
  for (const models::Population& one : network.populations) known.push_back(one.name);
  throw UsageError(
      fmt::format("there is no population '{}'; there are {}", name, fmt::join(known, ", ")));
}

/// A model whose scaled value is, of each cell, one of these numbers.
ModelSource scaled(ModelSource source, const std::string& path,
                   const std::vector<double>& numbers) {
  const std::string name = "numbers that are tried.csv";
  std::string& rows = source.files[name];
  for (const double number : numbers) fmt::format_to(std::back_inserter(rows), "{}\n", number);
  source.overrides.push_back({path, "{csv: \"" + name + "\"}", true});
  return source;
}

/// The number of the stimulus whose field's strength on the population's cells is looked for.
/// Nothing where it is another value.
std::optional<std::uint32_t> stimulus_of(const models::Network& network, const Wanted& wanted) {
  std::size_t number = 0;
  const std::string_view path = wanted.wish.scale;
  constexpr std::string_view before = "stimuli.", behind = ".field.scale";
  if (!path.starts_with(before) || !path.ends_with(behind)) return std::nullopt;
  const char* const end = path.data() + path.size() - behind.size();
  const auto read = std::from_chars(path.data() + before.size(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number >= network.stimuli.size())
    return std::nullopt;
  const models::Stimulus& stimulus = network.stimuli[number];
  if (!std::holds_alternative<FieldPointer>(stimulus.kind) ||
      stimulus.to.population != wanted.population)
    return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

/// What is not looked at is not made: recordings, and what comes after spikes count.
void leave_out_the_rest(models::Network& network, const ThresholdWish& wish) {
  network.recordings.clear();
  const double last = std::ceil(wish.until_ms / network.run.dt_ms);
  if (last < static_cast<double>(network.run.steps))
    network.run.steps = std::max<std::int64_t>(static_cast<std::int64_t>(last), 1);
}

class Finder {
 public:
  Finder(const Wanted& wanted, const ThresholdRuns& runs, Thresholds& result)
      : wanted_(wanted), runs_(runs), result_(result), search_(wanted.cells, wanted.wish.bounds) {}

  /// With a model for each run.
  void find(const ModelSource& model) {
    while (const auto numbers = search_.next()) {
      LoadedModel loaded =
          load_model(scaled(model, wanted_.wish.scale, *numbers), OwnMechanisms::loaded,
                     use_of(result_.ran_on), runs_.listener);
      leave_out_the_rest(loaded.network, wanted_.wish);
      const auto simulation = simulation_of(loaded, {});
      SpikedCells spiked(wanted_, 1);
      simulation->run(spiked, [&](const simulator::Progress&) { runs_.heard(); });
      tell(spiked);
    }
  }

  /// With one model that runs again and again. False, and nothing done, where it cannot.
  bool find(LoadedModel& loaded, std::uint32_t stimulus) {
    leave_out_the_rest(loaded.network, wanted_.wish);
    auto& kind = loaded.network.stimuli[stimulus].kind;
    auto field = std::make_shared<models::Field>(*std::get<FieldPointer>(kind));
    field->scale = 1.0;
    kind = FieldPointer(std::move(field));
    const auto simulation = simulation_of(loaded, {.wanted = runs_.tries, .most = most_tries});
    if (!simulation->may_run_again()) return false;
    const std::size_t copies = simulation->copies();
    while (auto numbers = search_.next(copies)) {
      try {
        run_again(*simulation, stimulus, *numbers, copies);
      } catch (const NumericalFailure&) {
        // Of what the first tries lead to some may be far more than anybody would try.
        if (copies == 1) throw;
        for (std::size_t at = wanted_.cells; at < numbers->size(); ++at)
          (*numbers)[at] = (*numbers)[at - wanted_.cells];
        run_again(*simulation, stimulus, *numbers, 1);
      }
    }
    return true;
  }

  std::vector<double> found() const { return search_.found(); }

  static Use use_of(const simulator::BackendChoice& backend) {
    return backend.backend == simulator::Backend::cuda ? Use::run_on_gpu : Use::run;
  }

 private:
  static constexpr int most_tries = 7;

  std::unique_ptr<simulator::Simulation> simulation_of(const LoadedModel& loaded,
                                                       const simulator::Copies& copies) {
    simulator::SimulationOptions options;
    options.mechanisms = loaded.mechanisms;
    options.threads = runs_.threads > 0 ? runs_.threads : simulator::available_threads();
    options.activity = &runs_.listener.activity;
    options.announce = runs_.listener.announce;
    options.copies = copies;
    return make_simulation(loaded.network, options, runs_.backend, result_.ran_on);
  }

  /// tries: how many of them are told of.
  void run_again(simulator::Simulation& simulation, std::uint32_t stimulus,
                 std::span<const double> numbers, std::size_t tries) {
    SpikedCells spiked(wanted_, numbers.size() / wanted_.cells);
    simulation.run_again(spiked, {stimulus, numbers},
                         [&](const simulator::Progress&) { runs_.heard(); });
    tell(spiked, tries);
  }

  void tell(SpikedCells& spiked, std::size_t tries = 1) {
    std::vector<bool> are_enough = spiked.are_enough();
    are_enough.resize(tries * wanted_.cells);
    search_.tell(are_enough);
    ++result_.runs;
  }

  const Wanted& wanted_;
  const ThresholdRuns& runs_;
  Thresholds& result_;
  ThresholdSearch search_;
};

}  // namespace

Thresholds find_thresholds(const ModelSource& source, const ThresholdWish& wish,
                           const ThresholdRuns& runs) {
  ThresholdSearch(0, wish.bounds);  // says what is wrong before anything is read
  if (!(wish.from_ms < wish.until_ms))
    throw UsageError(fmt::format("spikes count from {} to {} ms, which is no time", wish.from_ms,
                                 wish.until_ms));
  Thresholds result;
  result.ran_on = simulator::choose_backend(runs.backend);
  const auto load = [&](const ModelSource& model) {
    return load_model(model, OwnMechanisms::loaded, Finder::use_of(result.ran_on), runs.listener);
  };
  ModelSource model = source;
  LoadedModel loaded = load(model);
  result.warnings = loaded.warnings;
  const PopulationId of = find_population(loaded.network, wish.population);
  if (!loaded.network.projections.empty() || !loaded.network.points.empty() ||
      loaded.network.wiring)
    throw UsageError("cells are connected: a threshold is that of a cell by itself");
  const models::Population& population = loaded.network.populations[of.value];
  const models::Cell& cell = loaded.network.cells[population.cell];
  const auto* const cable = std::get_if<models::CableCell>(&cell.kind);
  if (!wish.spikes_at && cable && !cable->detector)
    throw UsageError(
        fmt::format("the cells of '{}' have no detector, so it must be said where "
                    "spikes count",
                    wish.population));
  const Wanted wanted{wish, of, loaded.network.first_cell(of), population.size,
                      loaded.network.cell_count()};
  if (wish.spikes_at) {
    const std::string detector = "cells." + cell.name + ".detector";
    if (cable && !cable->detector) model.overrides.push_back({detector, "{}"});
    model.overrides.push_back({detector + ".at", *wish.spikes_at});
    loaded = load(model);
  }
  Finder finder(wanted, runs, result);
  const auto stimulus = stimulus_of(loaded.network, wanted);
  if (!stimulus || !finder.find(loaded, *stimulus)) finder.find(model);
  result.of_cells = finder.found();
  return result;
}

}  // namespace hillock::session
