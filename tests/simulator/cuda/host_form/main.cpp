// Runs models as --backend cuda does, with the kernels that are assembled for a GPU compiled for
// the host: every thread a fiber, memory filled with NaNs before it is written. With run.solver
// exact spikes and samples must be the CPU's bit for bit; with auto as many spikes at the same
// steps, and samples within 1e-9 of their size; with precision mixed and single as many spikes no
// further than a step away, and samples within 1e-3 and 1e-2. A run that fails on the CPU must fail
// at the same place. With RANKS: on so many ranks that are threads, each with a device of its own,
// a run with solver exact must give the CPU's bits, and so must one that is resumed from half way.
//
// Without RANKS both also begin in the middle, with a state that is put in.
//
//     host_form MODEL DURATION [RANKS]
//     host_form points MODEL DURATION RANKS [SETTING...]       a network with point neurons
//     (points.hpp)
//     host_form derived MODEL DURATION VALUE...   derivatives by "path=number" (derived.hpp)
//     host_form again MODEL DURATION          runs that begin again (again.hpp)
//     host_form kernels MODEL COUNT           so many kernels for all its kinds of cells
//     host_form exact DURATION MODEL...       solver exact alone, of each on one rank and on two;
//     all that differ are told
//
// HILLOCK_CACHE, where it is set, keeps compiled kernels for the next run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "tests/simulator/cuda/host_form/again.hpp"
#include "tests/simulator/cuda/host_form/derived.hpp"
#include "tests/simulator/cuda/host_form/points.hpp"
#include "tests/simulator/cuda/host_form/runs.hpp"

namespace {

using namespace host_form;

/// What a run computes with.
struct Arithmetic {
  std::string solver, precision;
};

command::LoadedModel load(const char* file, const std::string& duration,
                          const Arithmetic& arithmetic) {
  return host_form::load(file, {"run.duration=" + duration, "run.solver=" + arithmetic.solver,
                                "run.precision=" + arithmetic.precision});
}

simulator::MemorySink run(const char* file, const std::string& duration,
                          const Arithmetic& arithmetic, simulator::Backend backend) {
  const command::LoadedModel model = load(file, duration, arithmetic);
  simulator::MemorySink sink = simulator::simulate(model.network, options_for(model, backend));
  sort_by_cell(sink);
  return sink;
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

/// What comes behind the middle of a run that begins there with another's state, and has heard of
/// what arrives in the first half millisecond.
simulator::MemorySink started(const command::LoadedModel& model, simulator::Backend backend,
                              const Saved& saved) {
  simulator::Simulation simulation(model.network, options_for(model, backend));
  simulator::MemorySink before, sink;
  simulation.begin(before);
  simulation.start_at(sink, saved.step, [&](State& state) {
    state = saved.state;
    const double half_ms = static_cast<double>(saved.step) * model.network.run.dt_ms;
    state["run/heard_ms"].put(half_ms + 0.5);
  });
  simulation.advance(model.network.run.steps, [](const simulator::Progress&) {});
  sort_by_cell(sink);
  return sink;
}

void check_started(const char* file, const std::string& duration) {
  const command::LoadedModel model = load(file, duration, {"exact", "double"});
  const Saved saved = run_on_ranks(model, 1, options_for(model, simulator::Backend::cpu),
                                   simulator::Overlap::no, nullptr);
  if (saved.step == 0) return;
  if (difference(started(model, simulator::Backend::cuda, saved),
                 started(model, simulator::Backend::cpu, saved), 0) != 0)
    throw std::runtime_error("started with another's state: other numbers");
}

void check(const char* file, const std::string& duration) {
  if (check_failure(file, duration)) return;
  check_started(file, duration);
  const auto cpu = run(file, duration, {"exact", "double"}, simulator::Backend::cpu);
  const auto exact = run(file, duration, {"exact", "double"}, simulator::Backend::cuda);
  if (difference(exact, cpu, 0) != 0) throw std::runtime_error("solver exact: other numbers");
  const auto hines = run(file, duration, {"hines", "double"}, simulator::Backend::cuda);
  if (difference(hines, cpu, 0) != 0) throw std::runtime_error("solver hines: other numbers");
  const auto quick = run(file, duration, {"auto", "double"}, simulator::Backend::cuda);
  const double off = difference(quick, cpu, 1e-6);
  std::size_t samples = 0;
  for (const auto& report : cpu.reports) samples += report.size();
  fmt::print("{}: {} spikes, {} samples; solver auto is off by {:.2g}", file, cpu.all_spikes.size(),
             samples, off);
  constexpr double tolerance = 1e-9;
  if (off > tolerance) throw std::runtime_error("solver auto: too far off");
  // Those of two cells that spike in one step may come in steps of their own.
  auto by_cell = cpu;
  sort_by_cell(by_cell);
  for (const auto& [precision, most_off] : {std::pair{"mixed", 1e-3}, std::pair{"single", 1e-2}}) {
    auto rough = run(file, duration, {"auto", precision}, simulator::Backend::cuda);
    sort_by_cell(rough);
    const double its_off = difference(rough, by_cell, 0.0251);
    fmt::print(", precision {} by {:.2g}", precision, its_off);
    if (its_off > most_off)
      throw std::runtime_error(fmt::format("precision {}: too far off", precision));
  }
  fmt::print("\n");
}

/// At a boundary cells may spike before the run is saved there, or when it is resumed.
void forget_spikes_until(simulator::MemorySink& sink, double last_ms) {
  std::erase_if(sink.all_spikes,
                [&](const network::CellSpike& spike) { return spike.time_ms <= last_ms; });
}

/// What comes after a time.
simulator::MemorySink rest_of(simulator::MemorySink sink, double after_ms,
                              const simulator::MemorySink& like) {
  forget_spikes_until(sink, after_ms);
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
  const auto options = options_for(model, simulator::Backend::cuda);
  Saved saved = run_on_ranks(model, ranks, options, overlap, nullptr);
  Saved resumed = run_on_ranks(model, ranks, options, overlap, &saved.state);
  for (simulator::MemorySink* sink : {&saved.sink, &resumed.sink}) sort_by_cell(*sink);
  if (difference(saved.sink, cpu, 0) != 0) throw std::runtime_error("ranks: other numbers");
  const double half_ms = static_cast<double>(saved.step) * model.network.run.dt_ms;
  forget_spikes_until(resumed.sink, half_ms);
  if (difference(resumed.sink, rest_of(cpu, half_ms, resumed.sink), 0) != 0)
    throw std::runtime_error("resumed ranks: other numbers");
  fmt::print(
      "{} ranks, epochs of {} steps{}: {} spikes, {} of them after it was resumed at {} ms\n",
      ranks, saved.counts.epoch_steps, saved.counts.overlaps ? ", overlapped" : "",
      cpu.all_spikes.size(), resumed.sink.all_spikes.size(), half_ms);
}

void check_ranks(const char* file, const std::string& duration, int ranks) {
  const Arithmetic exact{"exact", "double"};
  const simulator::MemorySink cpu = run(file, duration, exact, simulator::Backend::cpu);
  const command::LoadedModel model = load(file, duration, exact);
  for (const auto overlap : {simulator::Overlap::no, simulator::Overlap::yes})
    check_ranks(model, cpu, ranks, overlap);
}

/// Whether a model gives the CPU's bits with solver exact, on two ranks and resumed as well.
bool is_exact(const std::string& file, const std::string& duration) {
  try {
    const Arithmetic exact{"exact", "double"};
    const auto cpu = run(file.c_str(), duration, exact, simulator::Backend::cpu);
    const auto cuda = run(file.c_str(), duration, exact, simulator::Backend::cuda);
    if (difference(cuda, cpu, 0) != 0) throw std::runtime_error("other numbers");
    check_ranks(load(file.c_str(), duration, exact), cpu, 2, simulator::Overlap::yes);
    return true;
  } catch (const std::exception& failure) {
    fmt::print("differs: {}: {}\n", file, failure.what());
    return false;
  }
}

void check_exact(const std::string& duration, std::span<const std::string> files) {
  std::size_t differing = 0;
  for (const std::string& file : files) differing += is_exact(file, duration) ? 0 : 1;
  fmt::print("{} models, {} differ\n", files.size(), differing);
  if (differing > 0) throw std::runtime_error("not the CPU's numbers");
}

void check_kernels(const std::string& file, std::size_t wanted) {
  const command::LoadedModel model = host_form::load(file, {"run.solver=exact"});
  const simulator::DeviceReport report =
      simulator::Simulation(model.network, options_for(model, simulator::Backend::cuda))
          .on_device();
  const std::string found =
      fmt::format("{} kernels of {} kinds of cells", report.kernels, report.kinds.size());
  if (report.kernels != wanted) throw std::runtime_error(found);
  fmt::print("{}\n", found);
}

void check_all(const std::vector<std::string>& words) {
  if (words[0] == "exact")
    check_exact(words.at(1), std::span(words).subspan(2));
  else if (words[0] == "again")
    check_again(words[1], words.at(2));
  else if (words[0] == "kernels")
    check_kernels(words[1], std::stoul(words.at(2)));
  else if (words[0] == "derived")
    check_derived(words[1], words.at(2), std::span(words).subspan(3));
  else if (words[0] == "points")
    check_points(words[1], words[2], std::stoi(words.at(3)), {words.begin() + 4, words.end()});
  else if (words.size() == 3)
    check_ranks(words[0].c_str(), words[1], std::stoi(words[2]));
  else
    check(words[0].c_str(), words[1]);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const bool is_of_points = !words.empty() && words[0] == "points";
  const bool is_exact_alone = !words.empty() && words[0] == "exact";
  const bool is_derived = !words.empty() && words[0] == "derived";
  if (is_of_points || is_derived ? words.size() < 4
      : is_exact_alone           ? words.size() < 3
                                 : words.size() != 2 && words.size() != 3) {
    std::fputs(
        "host_form MODEL DURATION [RANKS]\n"
        "host_form points MODEL DURATION RANKS [SETTING...]\n"
        "host_form derived MODEL DURATION VALUE...\n"
        "host_form again MODEL DURATION\n"
        "host_form kernels MODEL COUNT\n"
        "host_form exact DURATION MODEL...\n",
        stderr);
    return 2;
  }
  const bool has_cache = std::getenv("HILLOCK_CACHE") != nullptr;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("hillock-host-form-{}", getpid());
  if (!has_cache) setenv("HILLOCK_CACHE", folder.c_str(), 1);
  int status = 0;
  try {
    check_all(words);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", fmt::join(words, " "), failure.what());
    status = 1;
  }
  if (!has_cache && (status == 0 || !std::getenv("KEEP"))) std::filesystem::remove_all(folder);
  return status;
}
