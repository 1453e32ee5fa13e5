#include "simulator/session/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <variant>

#include "core/errors/errors.hpp"
#include "simulator/session/run_summary.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

/// Keeps which cells spike in time, recorded or not.
class SpikedCells final : public simulator::RunSink {
 public:
  SpikedCells(CellId first, std::size_t cells, const ThresholdWish& wish)
      : first_(first.value), wish_(wish), has_spiked_(cells, false) {}

  void spikes(std::span<const network::CellSpike> spikes) override {
    for (const network::CellSpike& spike : spikes)
      if (const std::uint64_t cell = spike.cell.value - first_;
          spike.cell.value >= first_ && cell < has_spiked_.size() &&
          spike.time_ms >= wish_.from_ms && spike.time_ms < wish_.until_ms)
        has_spiked_[cell] = true;
  }
  void rows(std::size_t, std::vector<double>) override {}

  std::vector<bool> are_enough() {
    if (wish_.block) has_spiked_.flip();
    return std::move(has_spiked_);
  }

 private:
  std::uint64_t first_;
  const ThresholdWish& wish_;
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

}  // namespace

Thresholds find_thresholds(const ModelSource& source, const ThresholdWish& wish,
                           const ThresholdRuns& runs) {
  ThresholdSearch(0, wish.bounds);  // says what is wrong before anything is read
  if (!(wish.from_ms < wish.until_ms))
    throw UsageError(fmt::format("spikes count from {} to {} ms, which is no time", wish.from_ms,
                                 wish.until_ms));
  simulator::BackendChoice backend = simulator::choose_backend(runs.backend);
  const auto use = [&] {
    return backend.backend == simulator::Backend::cuda ? Use::run_on_gpu : Use::run;
  };
  Thresholds result;
  ModelSource model = source;
  CellId first;
  std::size_t cells = 0;
  {
    const LoadedModel loaded = load_model(model, OwnMechanisms::checked, use(), runs.listener);
    const models::Network& network = loaded.network;
    const PopulationId of = find_population(network, wish.population);
    if (!network.projections.empty() || !network.points.empty())
      throw UsageError("cells are connected: a threshold is that of a cell by itself");
    const models::Population& population = network.populations[of.value];
    const models::Cell& cell = network.cells[population.cell];
    const auto* const cable = std::get_if<models::CableCell>(&cell.kind);
    if (wish.spikes_at)
      model.overrides.push_back({"cells." + cell.name + ".detector.at", *wish.spikes_at});
    else if (cable && !cable->detector)
      throw UsageError(
          fmt::format("the cells of '{}' have no detector, so it must be said where "
                      "spikes count",
                      wish.population));
    first = network.first_cell(of);
    cells = population.size;
    result.warnings = loaded.warnings;
  }
  ThresholdSearch search(cells, wish.bounds);
  while (const auto numbers = search.next()) {
    const LoadedModel loaded = load_model(scaled(model, wish.scale, *numbers),
                                          OwnMechanisms::loaded, use(), runs.listener);
    simulator::SimulationOptions options;
    options.mechanisms = loaded.mechanisms;
    options.threads = runs.threads > 0 ? runs.threads : simulator::available_threads();
    options.activity = &runs.listener.activity;
    options.announce = runs.listener.announce;
    const auto simulation = make_simulation(loaded.network, options, runs.backend, backend);
    SpikedCells spiked(first, cells, wish);
    simulation->run(spiked, [&](const simulator::Progress&) { runs.heard(); });
    search.tell(spiked.are_enough());
    ++result.runs;
  }
  result.of_cells = search.found();
  result.ran_on = backend;
  return result;
}

}  // namespace hillock::session
