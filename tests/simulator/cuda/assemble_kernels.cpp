// Assembles the kernels of models as --backend cuda does and compiles them by NVRTC, which needs no
// GPU; and lets the cells that are ready for a device take what a run on the CPU saved, and save it
// again: it must be the same to the bit.
//
//     assemble_kernels [CAPABILITY,...][/CAPABILITY,...] MODEL...      as in 90/75,120
//
// For the first capability kernels in mixed and single precision are compiled, too. For those after
// the / NVRTC compiles with few optimisations, which takes a third as long for point neurons; it
// accepts no other text for that.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include "core/state/state_parts.hpp"
#include "network/placement.hpp"
#include "simulator/backends/cpu/beginner.hpp"
#include "simulator/backends/device/cells/assembly.hpp"
#include "simulator/backends/device/cells/cell_state.hpp"
#include "simulator/backends/device/cells/common_text.hpp"
#include "simulator/backends/device/cells/program_source.hpp"
#include "simulator/backends/device/compiler/nvrtc.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/backends/device/points/point_source.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "tests/simulator/networks.hpp"

namespace {

using namespace hillock;
namespace on_device = simulator::on_device;

/// What is compiled for.
struct Target {
  int capability;
  bool quickly;
};

using Source = std::pair<on_device::ProgramSource, Target>;

std::vector<Target> targets_of(const std::string& word) {
  std::vector<Target> targets;
  std::istringstream parts(word);
  std::string list;
  for (const bool quickly : {false, true}) {
    if (!std::getline(parts, list, '/')) break;
    std::istringstream text(list);
    for (std::string one; std::getline(text, one, ',');)
      targets.push_back({std::stoi(one), quickly});
  }
  return targets;
}

constexpr int threads = 2;

/// all_here: must outlive the plan.
simulator::NetworkPlan outline(const command::LoadedModel& model, const network::AllHere& all_here,
                               simulator::Activity& activity) {
  return simulator::outline_network(model.network, model.mechanisms,
                                    {&all_here, threads, simulator::Connections::made, &activity});
}

/// What a run on the CPU saves after so many steps.
State saved_on_cpu(const command::LoadedModel& model, std::int64_t steps) {
  State saved;
  simulator::SimulationOptions options;
  options.mechanisms = model.mechanisms;
  simulator::Saving saving;
  saving.every_steps = steps;
  saving.keep = [&](State state, std::int64_t step) {
    if (step == steps) saved = std::move(state);
  };
  simulator::MemorySink sink;
  simulator::Simulation(model.network, options)
      .run(
          sink, [](const simulator::Progress&) {}, saving);
  return saved;
}

void check_state(const std::string& file, const command::LoadedModel& model,
                 const simulator::RunConstants& run, on_device::Assembly& assembly) {
  const State on_cpu = saved_on_cpu(model, model.network.run.steps / 3);
  std::vector<on_device::Cells*> programs;
  for (auto& [signature, cells] : assembly.cells) programs.push_back(&cells);
  StateReader reader(on_cpu);
  StateWalk restoring(reader);
  on_device::walk_cells(restoring, run, assembly.events, programs);
  State again;
  StateWalk saving(again);
  on_device::walk_cells(saving, run, assembly.events, programs);
  std::vector<State> parts;
  parts.push_back(std::move(again));
  again = joined(std::move(parts));
  std::size_t columns = 0;
  for (const auto& [population, some] : on_cpu.of_cells()) {
    if (!again.of_cells().contains(population)) continue;  // of point neurons
    for (const auto& [name, was] : some.columns) {
      if (name.starts_with("spikes/")) continue;  // the loop's
      const auto& all = again.of(population).columns;
      const auto is = all.find(name);
      if (is == all.end() || !(is->second.numbers == was.numbers) ||
          !(is->second.counts == was.counts))
        throw std::runtime_error(file + ": is saved otherwise than on the CPU: " + name);
      ++columns;
    }
  }
  if (columns < 4) throw std::runtime_error(file + ": hardly anything is saved");
  fmt::print("{}: {} columns of the CPU's state\n", file, columns);
}

/// That a block may have, of the devices that are compiled for (CUDA C++ Programming Guide).
int shared_bytes_of(int capability) {
  const int kilobytes = capability == 75                        ? 64
                        : capability == 80                      ? 163
                        : capability == 90 || capability == 100 ? 227
                                                                : 99;
  return kilobytes << 10;
}

/// Of NVRTC.
std::vector<std::string> quick_options() {
  const auto version = on_device::nvrtc_version();
  const bool has_them = version && std::stoi(*version) >= 13;
  return has_them ? std::vector<std::string>{"--Ofast-compile=mid"} : std::vector<std::string>{};
}

void compile(const std::vector<Source>& sources) {
  const std::vector<std::string> quick = quick_options();
  simulator::parallel_for(sources.size(), threads, [&](std::size_t k) {
    const auto& [source, target] = sources[k];
    const auto [code, log] = on_device::compile_for_device(
        source, target.capability, target.quickly ? quick : std::vector<std::string>());
    if (code.size() < 1000) throw std::runtime_error("a kernel without code: " + log);
  });
}

on_device::EngineOptions options_with(simulator::Activity& activity) {
  return {.threads = threads, .beginner = &simulator::cpu::beginner(), .activity = &activity};
}

/// The kernels of a network's point neurons.
std::size_t compile_points(const std::string& file, simulator::NetworkPlan& plan,
                           std::span<const std::size_t> ranges,
                           const std::vector<Target>& targets) {
  simulator::Activity activity;
  const on_device::EngineOptions options = options_with(activity);
  simulator::Crew crew(std::vector<std::uint64_t>(ranges.size(), 1), threads);
  std::vector<const mechanisms::Mechanism*> kinds;
  for (const auto& population : on_device::lay_out_points(plan, ranges, crew, options))
    if (std::ranges::find(kinds, population.mechanism) == kinds.end())
      kinds.push_back(population.mechanism);
  std::vector<Source> sources;
  for (const Target target : targets) {
    fmt::print("{} sm_{}: {} kinds of point neurons\n", file, target.capability, kinds.size());
    sources.emplace_back(on_device::write_points(kinds), target);
  }
  compile(sources);
  return sources.size();
}

/// Those of its other cells.
std::size_t compile_cells(const std::string& file, const command::LoadedModel& model,
                          simulator::NetworkPlan& plan, std::span<const std::size_t> ranges,
                          const std::vector<Target>& targets) {
  simulator::Activity activity;
  const on_device::EngineOptions options = options_with(activity);
  simulator::Crew crew(std::vector<std::uint64_t>(ranges.size(), 1), threads);
  std::vector<double> gap_values(plan.gap_values.size());
  on_device::Assembly assembly =
      on_device::assemble(on_device::make_ranges(plan, ranges, crew, options, gap_values), plan.run,
                          crew, options, gap_values);
  std::vector<Source> sources;
  const auto add = [&](Target target, models::Precision precision) {
    const std::vector<on_device::LaunchShape> shapes = on_device::shapes_of(
        assembly.cells,
        {.capability = target.capability, .shared_bytes = shared_bytes_of(target.capability)},
        precision, false);
    std::size_t k = 0;
    for (const auto& [signature, cells] : assembly.cells) {
      const on_device::LaunchShape& shape = shapes[k++];
      fmt::print("{} sm_{}: {} cells, {} threads each\n", file, target.capability,
                 cells.entries.size(), shape.team);
      on_device::ProgramSource source =
          on_device::write_program(signature, cells, shape, model.network.run.integrator);
      const bool is_known = std::ranges::any_of(sources, [&](const auto& known) {
        return known.second.capability == target.capability && known.first.text == source.text;
      });
      if (!is_known) sources.emplace_back(std::move(source), target);
    }
  };
  for (const Target target : targets) add(target, models::Precision::full);
  for (const auto precision : {models::Precision::mixed, models::Precision::single})
    add(targets.front(), precision);
  compile(sources);
  check_state(file, model, plan.run, assembly);
  return sources.size();
}

/// How many kernels were compiled.
std::size_t compile(const std::string& file, const std::vector<Target>& targets) {
  const command::LoadedModel model =
      command::load_model({file, {}}, command::OwnMechanisms::loaded, command::Use::run);
  simulator::Activity activity;
  const network::AllHere all_here(model.network);
  simulator::NetworkPlan plan = outline(model, all_here, activity);
  std::vector<std::size_t> points, cells;
  for (std::size_t r = 0; r < plan.ranges.size(); ++r)
    (plan.ranges[r].population->is_point_neuron ? points : cells).push_back(r);
  std::size_t kernels = 0;
  if (!points.empty()) kernels += compile_points(file, plan, points, targets);
  if (!cells.empty()) kernels += compile_cells(file, model, plan, cells, targets);
  return kernels;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("assemble_kernels [CAPABILITY,...][/CAPABILITY,...] MODEL...\n", stderr);
    return 2;
  }
  try {
    std::size_t kernels = 0;
    for (int i = 2; i < count; ++i) kernels += compile(arguments[i], targets_of(arguments[1]));
    fmt::print("{} kernels\n", kernels);
    return kernels > 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
}
