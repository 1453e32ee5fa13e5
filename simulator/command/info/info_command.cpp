#include "simulator/command/info/info_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors/errors.hpp"
#include "core/simd/isa.hpp"
#include "core/text/counted.hpp"
#include "io/json/json.hpp"
#include "io/sonata/sonata.hpp"
#include "simulator/command/info/device_text.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/memory_text.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/loop/solver_choice.hpp"
#include "simulator/ranks/memory_counts.hpp"
#include "simulator/session/derived_run.hpp"
#include "simulator/session/first_cell.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/thread_memory.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::command {

namespace {

io::Json to_json(const simulator::SolverReport& solvers) {
  io::Json on_gpu = io::Json::array();
  for (const auto& cell : solvers.on_gpu) {
    io::Json predicted = io::Json::object();
    for (const auto& estimate : cell.choice.estimates)
      if (estimate.absent.empty()) predicted.add(solver::name_of(estimate.family), estimate.us);
    on_gpu.add(io::Json::object({{"cell", cell.cell},
                                 {"cells", cell.cells},
                                 {"nodes", cell.nodes},
                                 {"solver", solver::name_of(cell.choice.family)},
                                 {"forced", cell.choice.forced},
                                 {"reason", cell.choice.reason},
                                 {"predicted_us", predicted}}));
  }
  return io::Json::object(
      {{"gpu", solvers.gpu.name}, {"gpu_is_here", solvers.gpu_is_here}, {"cells", on_gpu}});
}

void print_solvers(const simulator::SolverReport& solvers, bool is_gpu_looked_for) {
  print_entry("solver",
              fmt::format("{}: {}", solver::name_of(solvers.cpu.family), solvers.cpu.reason));
  const char* title = solvers.gpu_is_here ? "on the GPU"
                      : is_gpu_looked_for ? "on a GPU (none here)"
                                          : "on a GPU";
  for (const auto& cell : solvers.on_gpu) {
    print_entry(title,
                fmt::format("{}: {}", solver::name_of(cell.choice.family), cell.choice.reason));
    print_entry("", fmt::format("for {} of {} ({})", counted(cell.cells, "cell"),
                                counted(cell.nodes, "node"), cell.cell));
    title = "";
  }
}

io::Json to_json(const std::vector<session::OwnMechanism>& own) {
  io::Json all = io::Json::array();
  for (const auto& mechanism : own)
    all.add(io::Json::object({{"name", mechanism.name},
                              {"file", mechanism.file},
                              {"replaces_builtin", mechanism.replaces_builtin}}));
  return all;
}

void print_mechanisms(const std::vector<session::OwnMechanism>& own) {
  std::vector<std::string> texts;
  for (const auto& mechanism : own)
    texts.push_back(
        fmt::format("{} ({}{})", mechanism.name, mechanism.file,
                    mechanism.replaces_builtin ? ", in place of the built-in one" : ""));
  if (!texts.empty()) print_entry("own mechanisms", fmt::format("{}", fmt::join(texts, ", ")));
}

/// What a run takes, in bytes.
struct Amounts {
  std::uint64_t program = 0;  ///< with the model
  std::uint64_t connections = 0;
  std::uint64_t building = 0;
  std::uint64_t recordings = 0;
  std::uint64_t most = 0;   ///< at once
  std::uint64_t files = 0;  ///< of reports
};

Amounts amounts_of(const simulator::Simulation& simulation, std::uint64_t program, int threads) {
  const simulator::SimulationCounts& counts = simulation.counts();
  const simulator::ConnectionMemory& connecting = counts.connection_memory;
  Amounts of;
  of.program = program;
  of.recordings = counts.sample_bytes + io::open_file_bytes(simulation.reports().size());
  for (const auto& report : simulation.reports()) {
    of.files += report.samples * report.element_ids.size() * (report.float64 ? 8 : 4);
    of.recordings += io::writing_bytes(report);
  }
  of.connections = counts.connection_bytes + connecting.kept;
  of.building = counts.building_bytes + connecting.connectors;
  const std::uint64_t kept = counts.state_bytes + of.connections;
  of.most = simulator::most_bytes(
      {.program = program,
       .building = std::max(connecting.preparing, kept + of.building - connecting.rings),
       .running = kept + of.recordings + counts.spike_bytes - connecting.packed_away,
       .threads = threads});
  return of;
}

int most_side_by_side(const simulator::SimulationCounts& counts) {
  int most = 1;
  for (const simulator::SideBySideReport& of : counts.side_by_side) most = std::max(most, of.cells);
  return most;
}

io::Json to_json(const simulator::SideBySideReport& of) {
  io::Json expected = io::Json::array();
  for (const auto& [cells, us] : of.expected_us)
    expected.add(io::Json::object({{"cells", cells}, {"us", us}}));
  return io::Json::object({{"population", of.population},
                           {"cells", of.cells},
                           {"shared_by", of.shared_by},
                           {"bytes_a_compartment_step", of.bytes},
                           {"expected_us", expected}});
}

/// "8 cells at a time (a step of a cell about 12.3 us of a core, 4 at a time 15.1 us, 1 at a time
/// 17 us); 226 bytes a compartment-step"
std::string to_text(const simulator::SideBySideReport& of) {
  std::string text = of.cells == 1 ? "1 cell at a time, whose instances lie side by side"
                                   : fmt::format("{} cells at a time", of.cells);
  std::vector<std::string> others;
  for (const auto& [cells, us] : of.expected_us) {
    const std::string time = fmt::format("{:.3g} us", us);
    if (cells == of.cells)
      others.insert(others.begin(), fmt::format("a step of a cell about {} of a core", time));
    else
      others.push_back(fmt::format("{} at a time {}", cells, time));
  }
  if (others.size() > 1) text += fmt::format(" ({})", fmt::join(others, ", "));
  text += fmt::format("; {:.0f} bytes a compartment-step", of.bytes);
  if (of.shared_by > 1)
    text += fmt::format("; its rows are shared by up to {} threads", of.shared_by);
  return text;
}

/// What is told of a model.
struct Info {
  const LoadedModel& model;
  const simulator::SimulationCounts& counts;
  Amounts bytes;
  simulator::SolverReport solvers;
  std::optional<simulator::DeviceReport> on_device;  ///< where it would run on a GPU
  bool is_gpu_looked_for = false;
  std::optional<session::GradientMemory> gradient;  ///< where it is asked for
};

io::Json to_json(const Info& of) {
  io::Json info = io::Json::object({{"cells", of.counts.cells},
                                    {"compartments", of.counts.compartments},
                                    {"groups", of.counts.groups},
                                    {"connections", of.counts.connections},
                                    {"synapses", of.counts.synapses},
                                    {"gap_junctions", of.counts.gap_junctions},
                                    {"steps", of.model.network.run.steps},
                                    {"epoch_steps", of.counts.epoch_steps},
                                    {"shortest_delay_ms", of.counts.shortest_delay_ms}});
  if (!of.on_device) {
    info.add("state_bytes", of.counts.state_bytes);
    info.add("memory_bytes", of.bytes.most);
    info.add("program_bytes", of.bytes.program);
    info.add("connection_bytes", of.bytes.connections);
    info.add("building_bytes", of.bytes.building);
    info.add("recording_bytes", of.bytes.recordings);
    info.add("map_bytes", of.counts.map_bytes);
    info.add("spike_bytes", of.counts.spike_bytes);
  }
  info.add("report_bytes", of.bytes.files);
  info.add("own_mechanisms", to_json(of.model.own_mechanisms));
  io::Json side_by_side = io::Json::array();
  for (const auto& population : of.counts.side_by_side) side_by_side.add(to_json(population));
  info.add("side_by_side", side_by_side);
  info.add("solver", solver::name_of(of.solvers.cpu.family));
  info.add("solver_on_gpu", to_json(of.solvers));
  info.add("instruction_set", name_of(active_isa()));
  if (of.on_device) info.add("on_gpu", command::to_json(*of.on_device));
  if (of.gradient) {
    info.add("gradient_bytes", of.gradient->most_bytes);
    info.add("least_gradient_bytes", of.gradient->least_bytes);
  }
  return info;
}

void print_for_people(const Info& of) {
  const simulator::SimulationCounts& counts = of.counts;
  print_entry("cells", fmt::format("{}", counts.cells));
  print_entry("compartments", fmt::format("{}", counts.compartments));
  const char* expected = of.on_device ? "" : " expected";
  print_entry("connections", fmt::format("{}{}", counts.connections, expected));
  print_entry("synapse instances", fmt::format("{}{}", counts.synapses, expected));
  if (counts.gap_junctions > 0)
    print_entry("gap junctions", fmt::format("{}{}", counts.gap_junctions, expected));
  const models::Run& run = of.model.network.run;
  print_entry("steps", fmt::format("{} of {:.6g} ms", run.steps, run.dt_ms));
  print_entry("epoch", counted(static_cast<std::uint64_t>(counts.epoch_steps), "step"));
  print_mechanisms(of.model.own_mechanisms);
  const auto megabytes = [](std::uint64_t bytes) {
    return fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6);
  };
  if (of.on_device) {
    print_entry("reports", megabytes(of.bytes.files));
    print_device(*of.on_device);
    return;
  }
  print_entry(
      "memory",
      fmt::format("{} at most: {} of the program and the model, {} of cells, {} of connections, "
                  "then {} while the last are made or {} of recordings and {} of spikes, if "
                  "a cell spikes no more than once in 5 ms",
                  megabytes(of.bytes.most), megabytes(of.bytes.program),
                  megabytes(counts.state_bytes), megabytes(of.bytes.connections),
                  megabytes(of.bytes.building), megabytes(of.bytes.recordings),
                  megabytes(counts.spike_bytes)));
  if (of.gradient)
    print_entry(
        "derivative",
        fmt::format("{} more where all steps are kept; with less, {} or more, some are "
                    "made again",
                    megabytes(of.gradient->most_bytes), megabytes(of.gradient->least_bytes)));
  if (counts.map_bytes > 0)
    print_entry("potentials",
                megabytes(counts.map_bytes) + " of the recordings map currents to contacts");
  print_entry("reports", megabytes(of.bytes.files));
  print_solvers(of.solvers, of.is_gpu_looked_for);
  const char* title = "side by side";
  for (const auto& population : counts.side_by_side) {
    print_entry(title, population.population + ": " + to_text(population));
    title = "";
  }
  print_entry("instruction set", std::string(name_of(active_isa())));
}

}  // namespace

void print_info(const ModelOptions& options, std::optional<simulator::BackendWish> wish,
                bool of_gradient, bool json) {
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const simulator::BackendChoice backend =
      simulator::choose_backend(wish.value_or(simulator::BackendWish::cpu));
  const bool is_on_gpu = backend.backend == simulator::Backend::cuda;
  const LoadedModel model = load_model(options, OwnMechanisms::loaded, Use::looked_at);
  // This process and the one that runs have read the same, and that one has begun with HDF5.
  io::hdf5_version();
  simulator::return_free_memory();
  const std::size_t before_bytes = program_bytes();
  simulator::SimulationOptions building;
  building.mechanisms = model.mechanisms;
  building.threads = simulator::available_threads();  // as many as a run takes
  // What a kernel is made of depends on which synapses are on which cells.
  building.connections =
      is_on_gpu ? simulator::Connections::made : simulator::Connections::expected;
  building.is_only_counted = is_on_gpu;
  building.activity = &current_activity();
  building.announce = announce;
  building.backend = backend.backend;
  const simulator::Simulation simulation(model.network, building);
  const simulator::SimulationCounts& counts = simulation.counts();
  Info info{.model = model,
            .counts = counts,
            .bytes = amounts_of(simulation, before_bytes, building.threads),
            .solvers = simulator::report_solvers(
                model.network, most_side_by_side(counts),
                wish ? simulator::PredictedGpu::reference : simulator::PredictedGpu::of_machine),
            .on_device = std::nullopt,
            .is_gpu_looked_for = !wish,
            .gradient = std::nullopt};
  if (of_gradient && is_on_gpu) throw UsageError("--gradient tells of the CPU alone");
  if (of_gradient)
    info.gradient =
        session::gradient_memory(model, building.threads, {*building.activity, building.announce});
  if (is_on_gpu) info.on_device = simulation.on_device();
  progress.finish();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  if (json)
    print("{}", to_json(info).lines());
  else
    print_for_people(info);
}

void print_branches(const ModelOptions& options, const std::string& name) {
  const LoadedModel model = load_model(options, OwnMechanisms::checked, Use::looked_at);
  const auto named = std::ranges::find(model.network.cells, name, &models::Cell::name);
  const auto* found =
      named == model.network.cells.end() ? nullptr : std::get_if<models::CableCell>(&named->kind);
  if (!found) throw UsageError("--branches " + name + ": no cell with a shape has that name");
  const auto number = static_cast<std::size_t>(named - model.network.cells.begin());
  const solver::Template cell =
      solver::discretise(session::shape_of_first(model.network, *found), *found,
                         session::cut_for_first(model.network, number));
  io::Json branches = io::Json::array();
  for (std::size_t b = 0; b < cell.branches.size(); ++b) {
    const solver::DiscreteBranch& branch = cell.branches[b];
    std::vector<double> areas;
    for (int i = 0; i < branch.compartments; ++i)
      areas.push_back(cell.area_um2(static_cast<std::size_t>(branch.first_node + i)));
    branches.add(io::Json::object({{"name", cell.name_of(b).name},
                                   {"region", cell.name_of(b).region},
                                   {"parent", branch.parent},
                                   {"at", branch.at},
                                   {"length_um", branch.length_um},
                                   {"compartments", branch.compartments},
                                   {"area_um2", areas}}));
  }
  print("{}\n", io::Json::object({{"branches", branches}}).line());
}

}  // namespace hillock::command
