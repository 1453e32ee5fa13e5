#include "simulator/session/run_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/simd/isa.hpp"
#include "core/text/sha256.hpp"
#include "simulator/backends/unsupported_on_device.hpp"
#include "simulator/session/joined_reports.hpp"
#include "simulator/session/pace.hpp"
#include "simulator/session/recorded_shapes.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::session {

namespace {

const char* name_of(simulator::Backend backend) {
  return backend == simulator::Backend::cuda ? "cuda" : "cpu";
}

/// Point neurons are computed in doubles; of other cells CPUs solve the cable in doubles.
void note_precision(io::RunSummary& summary, const models::Run& run,
                    const simulator::SimulationCounts& counts, std::vector<std::string>& lines) {
  const bool is_cpu = summary.backend == name_of(simulator::Backend::cpu);
  const bool is_single_on_cpu = is_cpu && run.precision == models::Precision::single;
  const models::Precision taken = counts.point_neurons == counts.cells ? models::Precision::full
                                  : is_single_on_cpu                   ? models::Precision::mixed
                                                                       : run.precision;
  summary.precision = models::name_of(taken);
  if (is_single_on_cpu && taken != models::Precision::full)
    lines.emplace_back("run.precision: single: the CPU computes with mixed");
  if (counts.point_neurons > 0 && run.precision != models::Precision::full)
    lines.push_back(fmt::format("run.precision: {}: point neurons are computed in double precision",
                                models::name_of(run.precision)));
}

/// How spikes reach synapses is a GPU's choice, and of point neurons.
void note_propagation(io::RunSummary& summary, const models::Run& run, bool has_points,
                      std::vector<std::string>& lines) {
  const bool is_gpu = summary.backend == name_of(simulator::Backend::cuda);
  if (is_gpu && has_points)
    summary.propagation = propagation_text(run.propagation);
  else if (!run.propagation.empty())
    lines.push_back(fmt::format("run.propagation: {}: only point neurons on a GPU heed it",
                                propagation_text(run.propagation)));
}

void note_turns(io::RunSummary& summary, const simulator::DeviceReport& on_device, double dt_ms) {
  summary.refused_grids = on_device.grids.refused;
  summary.propagation_reason = on_device.propagation_reason;
  summary.propagation_turns.clear();
  for (const simulator::PropagationTurn& turn : on_device.turns)
    summary.propagation_turns.push_back({turn.way, static_cast<double>(turn.first_step) * dt_ms,
                                         static_cast<double>(turn.last_step) * dt_ms, turn.spikes,
                                         turn.device_s});
}

}  // namespace

std::string propagation_text(const std::vector<std::string>& ways) {
  return ways.empty() ? "auto" : fmt::format("{}", fmt::join(ways, ", "));
}

io::Provenance provenance_of(const models::Network& network) {
  io::Provenance provenance;
  provenance.model_text = network.inputs.front().content;
  provenance.model_sha256 = sha256(provenance.model_text);
  for (std::size_t i = 1; i < network.inputs.size(); ++i) {
    const models::InputFile& file = network.inputs[i];
    provenance.input_sha256.emplace_back(file.path,
                                         file.sha256.empty() ? sha256(file.content) : file.sha256);
  }
  provenance.version = HILLOCK_VERSION;
  provenance.seed = network.run.seed;
  return provenance;
}

io::RunSummary summary_of(const LoadedModel& model, const std::string& file,
                          const io::Provenance& provenance) {
  const models::Network& network = model.network;
  io::RunSummary summary;
  summary.version = HILLOCK_VERSION;
  summary.host = io::host_name();
  summary.start = io::now_iso8601();
  summary.instruction_set = hillock::name_of(active_isa());
  summary.hdf5_version = io::hdf5_version();
  summary.model = file;
  summary.model_sha256 = provenance.model_sha256;
  summary.seed = network.run.seed;
  summary.dt_ms = network.run.dt_ms;
  summary.steps = static_cast<std::uint64_t>(network.run.steps);
  summary.populations = populations_of(network);
  for (const auto& warning : model.warnings) summary.warnings.push_back(to_string(warning));
  summary.outputs = {"spikes.h5"};
  for (const std::string& name : names_of_reports(network)) summary.outputs.push_back(name + ".h5");
  return summary;
}

void note_backend(io::RunSummary& summary, const simulator::BackendChoice& choice) {
  summary.backend = name_of(choice.backend);
  summary.backend_reason = choice.why;
  summary.device = choice.device;
}

std::vector<std::string> note_built(io::RunSummary& summary, const models::Network& network,
                                    const simulator::Simulation& simulation) {
  std::vector<std::string> lines;
  note_precision(summary, network.run, simulation.counts(), lines);
  note_propagation(summary, network.run, simulation.counts().point_neurons > 0, lines);
  summary.cells = simulation.counts().cells;
  summary.compartments = simulation.counts().compartments;
  summary.epoch_steps = static_cast<std::uint64_t>(simulation.counts().epoch_steps);
  return lines;
}

void note_done(io::RunSummary& summary, const models::Network& network,
               const simulator::Simulation& simulation, bool saves) {
  const simulator::Timings& timings = simulation.timings();
  summary.timings_s["build"] = timings.build_s;
  summary.timings_s["initialise"] = timings.initialise_s;
  summary.timings_s["advance"] = timings.advance_s;
  summary.timings_s["exchange"] = timings.exchange_s;
  summary.timings_s["record"] = timings.record_s;
  if (saves) summary.timings_s["save"] = timings.save_s;
  if (!summary.propagation.empty()) note_turns(summary, simulation.on_device(), network.run.dt_ms);
}

void note_pace(io::RunSummary& summary, const simulator::Simulation& simulation, double reached_ms,
               std::uint64_t spikes) {
  const simulator::Timings& timings = simulation.timings();
  const double seconds = timings.advance_s + timings.exchange_s + timings.record_s + timings.save_s;
  const double done_ms = reached_ms - summary.resumed_ms.value_or(0);
  if (done_ms <= 0 || seconds <= 0) return;
  summary.biological_ms_per_s = done_ms / seconds;
  if (const std::uint64_t cells = simulation.counts().spiking_cells(); cells > 0)
    summary.mean_rate_hz = mean_rate_hz(spikes, cells, reached_ms);
}

std::unique_ptr<simulator::Simulation> make_simulation(const models::Network& network,
                                                       simulator::SimulationOptions settings,
                                                       simulator::BackendWish wish,
                                                       simulator::BackendChoice& choice) {
  const bool may_change = choice.backend == simulator::Backend::cuda && !settings.together.ranks &&
                          wish == simulator::BackendWish::automatic;
  settings.backend = choice.backend;
  try {
    return std::make_unique<simulator::Simulation>(network, settings);
  } catch (const solver::DeviceError& problem) {
    if (!may_change) throw;
    choice = {simulator::Backend::cpu, "", problem.what(), false};
  } catch (const simulator::UnsupportedOnDevice& problem) {
    if (!may_change) throw;
    choice = {simulator::Backend::cpu, "", problem.diagnostics().front().message, false};
  }
  settings.backend = choice.backend;
  return std::make_unique<simulator::Simulation>(network, settings);
}

}  // namespace hillock::session
