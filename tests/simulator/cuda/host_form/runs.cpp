#include "tests/simulator/cuda/host_form/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

namespace host_form {

namespace {

network::ToldFailure tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

}  // namespace

command::LoadedModel load(const std::string& file, const std::vector<std::string>& settings) {
  return command::load_model({file, settings}, command::OwnMechanisms::loaded, command::Use::run);
}

simulator::SimulationOptions options_for(const command::LoadedModel& model,
                                         simulator::Backend backend) {
  simulator::SimulationOptions options;
  options.mechanisms = model.mechanisms;
  options.backend = backend;
  options.threads = 2;
  options.most_epoch_steps = 50;
  options.announce = [](const std::string& line) { fmt::print("{}\n", line); };
  return options;
}

Saved run_on_ranks(const command::LoadedModel& model, int count,
                   const simulator::SimulationOptions& given, simulator::Overlap overlap,
                   const State* from) {
  Saved saved;
  network::run_ranks(count, [&](network::Ranks& ranks) {
    const bool is_first = ranks.number() == 0;
    simulator::SimulationOptions options = given;
    if (count > 1) options.together = {&ranks, network::ExchangeKind::automatic, overlap, tell};
    simulator::Simulation simulation(model.network, options);
    if (is_first) saved.counts = simulation.counts();
    simulator::MemorySink nothing;
    simulator::MemorySink& sink = is_first ? saved.sink : nothing;
    const auto progress = [](const simulator::Progress&) {};
    if (from) return simulation.resume(is_first ? *from : State(), sink, progress);
    simulator::Saving saving;
    saving.every_steps = model.network.run.steps / 2;
    saving.keep = [&](State state, std::int64_t step) {
      if (!is_first || saved.step > 0) return;
      saved.step = step;
      saved.state = std::move(state);
    };
    simulation.run(sink, progress, saving);
  });
  return saved;
}

void sort_by_cell(simulator::MemorySink& sink) {
  std::ranges::stable_sort(sink.all_spikes, {}, &network::CellSpike::cell);
}

double difference(const simulator::MemorySink& is, const simulator::MemorySink& wanted,
                  double most_ms) {
  if (is.all_spikes.size() != wanted.all_spikes.size())
    throw std::runtime_error(
        fmt::format("{} spikes instead of {}", is.all_spikes.size(), wanted.all_spikes.size()));
  for (std::size_t i = 0; i < is.all_spikes.size(); ++i)
    if (is.all_spikes[i].cell != wanted.all_spikes[i].cell ||
        !(std::abs(is.all_spikes[i].time_ms - wanted.all_spikes[i].time_ms) <= most_ms))
      throw std::runtime_error(
          fmt::format("spike {} is another: of cell {} at {} ms, not of {} at {} ms", i,
                      is.all_spikes[i].cell.value, is.all_spikes[i].time_ms,
                      wanted.all_spikes[i].cell.value, wanted.all_spikes[i].time_ms));
  if (is.reports.size() != wanted.reports.size()) throw std::runtime_error("a report is missing");
  double most = 0;
  for (std::size_t r = 0; r < is.reports.size(); ++r) {
    if (is.reports[r].size() != wanted.reports[r].size())
      throw std::runtime_error("a report has another size");
    double scale = 1;
    for (const double y : wanted.reports[r])
      if (std::isfinite(y)) scale = std::max(scale, std::abs(y));
    for (std::size_t k = 0; k < is.reports[r].size(); ++k) {
      const double x = is.reports[r][k], y = wanted.reports[r][k];
      if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y)) continue;
      const double off = std::abs(x - y) / scale;
      most = std::isnan(off) ? INFINITY : std::max({most, off, 1e-300});
    }
  }
  return most;
}

}  // namespace host_form
