// Runs models as --backend cuda does, with the kernels that are assembled for a GPU compiled for
// the host: every thread a fiber, memory filled with NaNs before it is written. With run.solver
// exact spikes and samples must be the CPU's bit for bit; with auto as many spikes at the same
// steps, and samples within 1e-9 of their size; with precision mixed and single as many spikes no
// further than a step away, and samples within 1e-3 and 1e-2. A run that fails on the CPU must fail
// at the same place. With RANKS: on so many ranks that are threads, each with a device of its own,
// a run with solver exact must give the CPU's bits, and so must one that is resumed from half way.
//
//     host_form MODEL DURATION [RANKS]

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "network/thread_ranks.hpp"
#include "simulator/command/loaded_model.hpp"
#include "tests/simulator/networks.hpp"

namespace {

using namespace hillock;

/// What a run computes with.
struct Arithmetic {
  std::string solver, precision;
};

command::LoadedModel load(const char* file, const std::string& duration,
                          const Arithmetic& arithmetic) {
  return command::load_model({file,
                              {"run.duration=" + duration, "run.solver=" + arithmetic.solver,
                               "run.precision=" + arithmetic.precision}},
                             command::OwnMechanisms::loaded, command::Use::run);
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

simulator::MemorySink run(const char* file, const std::string& duration,
                          const Arithmetic& arithmetic, simulator::Backend backend) {
  const command::LoadedModel model = load(file, duration, arithmetic);
  return simulator::simulate(model.network, options_for(model, backend));
}

/// What a run that is saved half way gives, and what it has then.
struct Saved {
  simulator::MemorySink sink;
  std::int64_t step = 0;
  State state;
  simulator::SimulationCounts counts;
};

network::ToldFailure tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

/// On ranks that are threads. from: what is resumed, or null.
Saved run_on_ranks(const command::LoadedModel& model, int count, simulator::Overlap overlap,
                   const State* from) {
  Saved saved;
  network::run_ranks(count, [&](network::Ranks& ranks) {
    const bool is_first = ranks.number() == 0;
    simulator::SimulationOptions options = options_for(model, simulator::Backend::cuda);
    options.together = {&ranks, network::ExchangeKind::automatic, overlap, tell};
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

/// Ranks give the spikes of one population after another's.
void sort_by_cell(simulator::MemorySink& sink) {
  std::ranges::stable_sort(sink.all_spikes, {}, &network::CellSpike::cell);
}

/// The largest difference of two runs, relative to numbers above 1. most_ms: of spikes' times.
double difference(const simulator::MemorySink& is, const simulator::MemorySink& wanted,
                  double most_ms) {
  if (is.all_spikes.size() != wanted.all_spikes.size())
    throw std::runtime_error(
        fmt::format("{} spikes instead of {}", is.all_spikes.size(), wanted.all_spikes.size()));
  for (std::size_t i = 0; i < is.all_spikes.size(); ++i)
    if (is.all_spikes[i].cell != wanted.all_spikes[i].cell ||
        !(std::abs(is.all_spikes[i].time_ms - wanted.all_spikes[i].time_ms) <= most_ms))
      throw std::runtime_error(fmt::format("spike {} is another", i));
  if (is.reports.size() != wanted.reports.size()) throw std::runtime_error("a report is missing");
  double most = 0;
  for (std::size_t r = 0; r < is.reports.size(); ++r) {
    if (is.reports[r].size() != wanted.reports[r].size())
      throw std::runtime_error("a report has another size");
    for (std::size_t k = 0; k < is.reports[r].size(); ++k) {
      const double x = is.reports[r][k], y = wanted.reports[r][k];
      if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y)) continue;
      const double off = std::abs(x - y) / std::max(1.0, std::abs(y));
      most = std::isnan(off) ? INFINITY : std::max({most, off, 1e-300});
    }
  }
  return most;
}

/// What a run that fails says, or nothing.
std::string failure_of(const char* file, const std::string& duration, const Arithmetic& arithmetic,
                       simulator::Backend backend) {
  try {
    run(file, duration, arithmetic, backend);
  } catch (const NumericalFailure& failure) {
    return failure.what();
  }
  return "";
}

/// Where the CPU's run fails, the device's must at the same place, by every arithmetic.
bool check_failure(const char* file, const std::string& duration) {
  const std::string cpu = failure_of(file, duration, {"exact", "double"}, simulator::Backend::cpu);
  if (cpu.empty()) return false;
  for (const Arithmetic& arithmetic : {Arithmetic{"exact", "double"},
                                       {"hines", "double"},
                                       {"auto", "double"},
                                       {"auto", "mixed"},
                                       {"auto", "single"}}) {
    const std::string cuda = failure_of(file, duration, arithmetic, simulator::Backend::cuda);
    if (cuda != cpu)
      throw std::runtime_error(fmt::format("{} {}: says '{}' instead of '{}'", arithmetic.solver,
                                           arithmetic.precision, cuda, cpu));
  }
  fmt::print("{}: {}\n", file, cpu);
  return true;
}

void check(const char* file, const std::string& duration) {
  if (check_failure(file, duration)) return;
  const auto cpu = run(file, duration, {"exact", "double"}, simulator::Backend::cpu);
  const auto exact = run(file, duration, {"exact", "double"}, simulator::Backend::cuda);
  if (difference(exact, cpu, 0) != 0) throw std::runtime_error("solver exact: other numbers");
  const auto quick = run(file, duration, {"auto", "double"}, simulator::Backend::cuda);
  const double off = difference(quick, cpu, 1e-6);
  std::size_t samples = 0;
  for (const auto& report : cpu.reports) samples += report.size();
  fmt::print("{}: {} spikes, {} samples; solver auto is off by {:.2g}", file, cpu.all_spikes.size(),
             samples, off);
  constexpr double tolerance = 1e-9;
  if (off > tolerance) throw std::runtime_error("solver auto: too far off");
  for (const auto& [precision, most_off] : {std::pair{"mixed", 1e-3}, std::pair{"single", 1e-2}}) {
    const auto rough = run(file, duration, {"auto", precision}, simulator::Backend::cuda);
    const double its_off = difference(rough, cpu, 0.025);
    fmt::print(", precision {} by {:.2g}", precision, its_off);
    if (its_off > most_off)
      throw std::runtime_error(fmt::format("precision {}: too far off", precision));
  }
  fmt::print("\n");
}

/// What comes after a time, at which no spike may be.
simulator::MemorySink rest_of(simulator::MemorySink sink, double after_ms,
                              const simulator::MemorySink& like) {
  std::erase_if(sink.all_spikes,
                [&](const network::CellSpike& spike) { return spike.time_ms <= after_ms; });
  for (std::size_t r = 0; r < sink.reports.size() && r < like.reports.size(); ++r) {
    std::vector<double>& all = sink.reports[r];
    const std::size_t wanted = std::min(all.size(), like.reports[r].size());
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(wanted));
  }
  return sink;
}

/// overlap: yes has the engine launch an epoch while one is under way.
void check_ranks(const command::LoadedModel& model, const simulator::MemorySink& cpu, int ranks,
                 simulator::Overlap overlap) {
  Saved saved = run_on_ranks(model, ranks, overlap, nullptr);
  Saved resumed = run_on_ranks(model, ranks, overlap, &saved.state);
  for (simulator::MemorySink* sink : {&saved.sink, &resumed.sink}) sort_by_cell(*sink);
  if (difference(saved.sink, cpu, 0) != 0) throw std::runtime_error("ranks: other numbers");
  const double half_ms = static_cast<double>(saved.step) * model.network.run.dt_ms;
  if (difference(resumed.sink, rest_of(cpu, half_ms, resumed.sink), 0) != 0)
    throw std::runtime_error("resumed ranks: other numbers");
  fmt::print(
      "{} ranks, epochs of {} steps{}: {} spikes, {} of them after it was resumed at {} ms\n",
      ranks, saved.counts.epoch_steps, saved.counts.overlaps ? ", overlapped" : "",
      cpu.all_spikes.size(), resumed.sink.all_spikes.size(), half_ms);
}

void check_ranks(const char* file, const std::string& duration, int ranks) {
  const Arithmetic exact{"exact", "double"};
  simulator::MemorySink cpu = run(file, duration, exact, simulator::Backend::cpu);
  sort_by_cell(cpu);
  const command::LoadedModel model = load(file, duration, exact);
  for (const auto overlap : {simulator::Overlap::no, simulator::Overlap::yes})
    check_ranks(model, cpu, ranks, overlap);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::fputs("host_form MODEL DURATION [RANKS]\n", stderr);
    return 2;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("hillock-host-form-{}", getpid());
  setenv("HILLOCK_CACHE", folder.c_str(), 1);
  int status = 0;
  try {
    if (count == 4)
      check_ranks(arguments[1], arguments[2], std::stoi(arguments[3]));
    else
      check(arguments[1], arguments[2]);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", arguments[1], failure.what());
    status = 1;
  }
  if (status == 0 || !std::getenv("KEEP")) std::filesystem::remove_all(folder);
  return status;
}
