#include "tests/simulator/cuda/host_form/points.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "core/errors/errors.hpp"
#include "simulator/backends/host/child_grids.hpp"
#include "simulator/backends/host/host_runtime.hpp"
#include "tests/simulator/cuda/host_form/runs.hpp"

namespace host_form {

namespace {

/// How a network is run.
struct Way {
  const command::LoadedModel& model;
  simulator::Backend backend;
  int ranks;
  std::int64_t epoch_steps;
  simulator::Overlap overlap;

  Saved run(const State* from) const {
    simulator::SimulationOptions options = options_for(model, backend);
    options.most_epoch_steps = epoch_steps;
    Saved saved = run_on_ranks(model, ranks, options, overlap, from);
    sort_by_cell(saved.sink);
    return saved;
  }
};

void compare(const Saved& is, const Saved& wanted, const char* what) {
  if (difference(is.sink, wanted.sink, 0) != 0)
    throw std::runtime_error(fmt::format("{}: other numbers", what));
}

/// Whatever one saved half way, the other goes on from it. Returns what the device's run came to.
simulator::SimulationCounts compare(const Way& cpu, const Way& cuda, const Saved& wanted,
                                    const Saved& rest) {
  const Saved saved = cuda.run(nullptr);
  compare(saved, wanted, "a whole run");
  if (saved.step != wanted.step) throw std::runtime_error("is saved at another step");
  compare(cuda.run(&saved.state), rest, "resumed");
  compare(cuda.run(&wanted.state), rest, "resumed from the CPU");
  compare(cpu.run(&saved.state), rest, "resumed by the CPU");
  return saved.counts;
}

/// What is counted is what a run takes.
void compare_memory(const command::LoadedModel& model) {
  simulator::SimulationOptions options = options_for(model, simulator::Backend::cuda);
  const std::uint64_t taken = simulator::Simulation(model.network, options).on_device().bytes.all();
  options.is_only_counted = true;
  const std::uint64_t counted =
      simulator::Simulation(model.network, options).on_device().bytes.all();
  if (counted == 0 || counted != taken)
    throw std::runtime_error(fmt::format("{} bytes are counted, {} taken", counted, taken));
}

/// What a run that fails says, or nothing.
std::string failure_of(const Way& way) {
  try {
    simulator::SimulationOptions options = options_for(way.model, way.backend);
    options.most_epoch_steps = way.epoch_steps;
    simulate(way.model.network, options);
  } catch (const NumericalFailure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

void check_points(const std::string& file, const std::string& duration, int ranks,
                  const std::vector<std::string>& settings) {
  std::vector<std::string> all = {"run.duration=" + duration};
  all.insert(all.end(), settings.begin(), settings.end());
  const command::LoadedModel model = load(file, all);
  const Way cpu{model, simulator::Backend::cpu, 1, 50, simulator::Overlap::no};
  const std::string failure = failure_of(cpu);
  const Saved wanted = failure.empty() ? cpu.run(nullptr) : Saved();
  const Saved rest = failure.empty() ? cpu.run(&wanted.state) : Saved();
  simulator::SimulationCounts counts;
  for (const std::int64_t steps : {7, 50})
    for (const auto overlap : {simulator::Overlap::no, simulator::Overlap::yes}) {
      const bool is_alike = ranks == 1 ? overlap == simulator::Overlap::yes : steps == 7;
      if (is_alike) continue;  // ranks have epochs of the shortest delay, a step
      const Way cuda{model, simulator::Backend::cuda, ranks, steps, overlap};
      if (failure.empty())
        counts = compare(cpu, cuda, wanted, rest);
      else if (const std::string is = failure_of(cuda); is != failure)
        throw std::runtime_error(fmt::format("says '{}' instead of '{}'", is, failure));
    }
  if (failure.empty()) compare_memory(model);
  const on_host::GridCounts grids = on_host::grid_counts();
  if (const char* const limit = std::getenv("HILLOCK_HOST_GRIDS"))
    if (grids.refused == 0 || (grids.started == 0) != (std::string(limit) == "0"))
      throw std::runtime_error("as many child grids may wait as are asked for");
  const on_host::TogetherCounts together = on_host::counts_together();
  std::size_t samples = 0;
  for (const auto& report : wanted.sink.reports) samples += report.size();
  fmt::print(
      "{}: epochs of {} steps, {} at once; {} spikes, {} after {} steps; {} samples; {} child "
      "grids, {} refused; {} grids of an epoch pass spikes apart and {} by all warps, of {} blocks "
      "{}\n",
      file, counts.epoch_steps, counts.epochs_at_once, wanted.sink.all_spikes.size(),
      rest.sink.all_spikes.size(), wanted.step, samples, grids.started, grids.refused,
      together.apart, together.all_warps, together.blocks, failure);
}

}  // namespace host_form
