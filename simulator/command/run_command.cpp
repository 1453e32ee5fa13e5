#include "simulator/command/run_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "core/isa.hpp"
#include "core/sha256.hpp"
#include "io/run/checkpoint.hpp"
#include "io/run/run_directory.hpp"
#include "simulator/command/current_activity.hpp"
#include "simulator/command/exit_code.hpp"
#include "simulator/command/memory_check.hpp"
#include "simulator/command/memory_text.hpp"
#include "simulator/command/output_sink.hpp"
#include "simulator/command/progress_line.hpp"
#include "simulator/command/rank.hpp"
#include "simulator/command/recorded_shapes.hpp"
#include "simulator/command/report.hpp"
#include "simulator/command/run_record.hpp"
#include "simulator/command/same_run.hpp"
#include "simulator/command/stop_signal.hpp"
#include "simulator/deal_lists.hpp"
#include "simulator/simulation.hpp"
#include "simulator/unsupported_on_device.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::command {

namespace {

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

std::string default_output(const std::string& model) {
  std::filesystem::path path(model);
  path.replace_extension(".out");
  return path.string();
}

std::string where_it_ran(const io::RunSummary& summary) {
  const std::string ranks = summary.ranks > 1 ? fmt::format("{} ranks of ", summary.ranks) : "";
  if (!summary.device.empty()) return ranks + summary.device.substr(0, summary.device.find(','));
  return fmt::format("{}{} thread{}", ranks, summary.threads, summary.threads == 1 ? "" : "s");
}

void print_table(const io::RunSummary& summary, const std::string& directory) {
  double total = 0;
  for (const auto& [name, seconds] : summary.timings_s) total += seconds;
  report("{:<14}{:>10}\n", "what", "seconds");
  for (const char* name :
       {"read", "build", "initialise", "advance", "exchange", "record", "save", "write"})
    if (const auto seconds = summary.timings_s.find(name); seconds != summary.timings_s.end())
      report("{:<14}{:>10.3f}\n", name, seconds->second);
  report("{:<14}{:>10.3f}\n", "total", total);
  const double steps = static_cast<double>(summary.steps);
  report("{} cells, {} compartments, {} steps on {}: {:.3g} compartment-steps/s\n", summary.cells,
         summary.compartments, summary.steps, where_it_ran(summary),
         static_cast<double>(summary.compartments) * steps /
             std::max(1e-9, summary.timings_s.at("advance")));
  report("{} spikes recorded; output in {}\n", summary.spikes, directory);
}

int threads_of(const RunOptions& options) {
  return options.threads > 0 ? options.threads : available_threads();
}

/// Few cells stand for the rest: this comes before every run.
simulator::RankLoadOptions load_options_of(const RunOptions& options) {
  simulator::RankLoadOptions load;
  load.ranks = ranks() ? ranks()->count() : 1;
  load.threads = threads_of(options);
  load.most_epoch_steps = options.most_epoch_steps;
  load.most_compartments = 20'000;
  return load;
}

io::RunIdentity identity_of(const io::Provenance& provenance, const RunOptions& options) {
  return {provenance.version, provenance.model_sha256, provenance.input_sha256,
          options.model.overrides};
}

/// The checkpoint of a run that is to be resumed. Throws InputOutputError when it is of another
/// run.
io::Checkpoint checkpoint_for(const io::RunIdentity& identity, const std::string& directory) {
  io::Checkpoint checkpoint = io::read_checkpoint(directory);
  const std::string difference = io::difference(checkpoint.identity, identity);
  if (!difference.empty())
    throw InputOutputError(
        directory, "cannot be resumed: its checkpoint " + difference + " (--force begins anew)");
  return checkpoint;
}

void tell_where_it_goes_on(const RunRecord& record) {
  if (const auto checkpoint_ms = record.checkpoint_ms())
    report("hillock: saved at {:.10g} ms: --resume goes on from there\n", *checkpoint_ms);
}

/// When and how a run is saved: behind its output, which a resumed run goes on after.
simulator::Saving saving_of(const io::RunIdentity& identity, double dt_ms,
                            CheckpointTimes& checkpoints, RunRecord* record, OutputSink* sink) {
  simulator::Saving saving;
  saving.every_steps = checkpoints.every_steps();
  saving.is_wanted = [&] { return checkpoints.is_due(); };
  saving.keep = [&checkpoints, record, sink, identity, dt_ms](State state, std::int64_t step) {
    const NotNow saves;
    if (!record) return checkpoints.note_checkpoint();
    sink->sync();
    const double time_ms = static_cast<double>(step) * dt_ms;
    io::write_checkpoint(record->directory(), {identity, time_ms, sink->kept(), std::move(state)});
    checkpoints.note_checkpoint();
    record->note([&](io::RunSummary& summary) { summary.checkpoint_ms = time_ms; });
  };
  return saving;
}

const char* name_of(simulator::Backend backend) {
  return backend == simulator::Backend::cuda ? "cuda" : "cpu";
}

/// Tells what `--backend auto` took, unless nobody would expect something else.
void tell_backend(const simulator::BackendChoice& choice, const RunOptions& options) {
  if (options.backend != simulator::BackendWish::automatic) return;
  if (choice.backend == simulator::Backend::cuda) {
    if (!options.quiet) report("backend cuda: {} ({})\n", choice.why, choice.device);
  } else if (!choice.is_expected) {
    report("backend cpu: {}\n", choice.why);
  }
}

void note_backend(io::RunSummary& summary, const simulator::BackendChoice& choice) {
  summary.backend = name_of(choice.backend);
  summary.backend_reason = choice.why;
  summary.device = choice.device;
}

/// Of what ranks share out among them.
io::Part own_part() {
  if (!ranks()) return {};
  return {static_cast<std::uint64_t>(ranks()->number()),
          static_cast<std::uint64_t>(ranks()->count())};
}

/// CPUs compute in doubles, whatever a model lets GPUs do, and so do point neurons.
void note_precision(io::RunSummary& summary, const models::Run& run,
                    const simulator::SimulationCounts& counts) {
  const bool is_cpu = summary.backend == name_of(simulator::Backend::cpu);
  const bool is_double = is_cpu || counts.point_neurons == counts.cells;
  summary.precision = models::name_of(is_double ? models::Precision::full : run.precision);
  if ((is_cpu || counts.point_neurons > 0) && run.precision != models::Precision::full)
    report("run.precision: {}: {} in double precision\n", models::name_of(run.precision),
           is_cpu ? "the CPU computes" : "point neurons are computed");
}

/// How spikes reach synapses is a GPU's choice, and of point neurons.
void note_propagation(io::RunSummary& summary, const models::Run& run, bool has_points) {
  const bool is_gpu = summary.backend == name_of(simulator::Backend::cuda);
  if (is_gpu && has_points)
    summary.propagation = models::names_of(run.propagation);
  else if (!run.propagation.empty())
    report("run.propagation: {}: only point neurons on a GPU heed it\n",
           models::names_of(run.propagation));
}

void note_turns(io::RunSummary& summary, const simulator::DeviceReport& on_device, double dt_ms) {
  summary.refused_grids = on_device.grids.refused;
  summary.propagation_reason = on_device.propagation_reason;
  summary.propagation_turns.clear();
  for (const simulator::PropagationTurn& turn : on_device.turns)
    summary.propagation_turns.push_back(
        {models::name_of(turn.way), static_cast<double>(turn.first_step) * dt_ms,
         static_cast<double>(turn.last_step) * dt_ms, turn.spikes, turn.device_s});
}

/// The same on all ranks: a GPU where each can use one.
simulator::BackendChoice choose_backend_together(const RunOptions& options) {
  simulator::BackendChoice choice;
  together([&] { choice = simulator::choose_backend(options.backend); });
  if (!is_true_of_any(choice.backend == simulator::Backend::cpu) ||
      choice.backend == simulator::Backend::cpu)
    return choice;
  return {simulator::Backend::cpu, "", "not all ranks have a GPU that can be used", false};
}

void note_built(io::RunSummary& summary, const models::Network& network,
                const simulator::Simulation& simulation) {
  note_precision(summary, network.run, simulation.counts());
  note_propagation(summary, network.run, simulation.counts().point_neurons > 0);
  summary.cells = simulation.counts().cells;
  summary.compartments = simulation.counts().compartments;
  summary.epoch_steps = static_cast<std::uint64_t>(simulation.counts().epoch_steps);
}

void note_timings_of(io::RunSummary& summary, const simulator::Timings& timings, bool saves) {
  summary.timings_s["build"] = timings.build_s;
  summary.timings_s["initialise"] = timings.initialise_s;
  summary.timings_s["advance"] = timings.advance_s;
  summary.timings_s["exchange"] = timings.exchange_s;
  summary.timings_s["record"] = timings.record_s;
  if (saves) summary.timings_s["save"] = timings.save_s;
}

/// Makes the network, on the CPU where a GPU cannot run it and was not asked for.
std::unique_ptr<simulator::Simulation> build(const models::Network& network,
                                             simulator::SimulationOptions settings,
                                             const RunOptions& options, RunRecord* record) {
  const auto on_cpu = [&](const std::string& why) {
    const simulator::BackendChoice choice{simulator::Backend::cpu, "", why, false};
    tell_backend(choice, options);
    record->note([&](io::RunSummary& summary) { note_backend(summary, choice); });
    settings.backend = choice.backend;
  };
  const bool may_change = settings.backend == simulator::Backend::cuda && !ranks() &&
                          options.backend == simulator::BackendWish::automatic;
  try {
    return std::make_unique<simulator::Simulation>(network, settings);
  } catch (const solver::DeviceError& problem) {
    if (!may_change) throw;
    on_cpu(problem.what());
  } catch (const simulator::UnsupportedOnDevice& problem) {
    if (!may_change) throw;
    on_cpu(problem.diagnostics().front().message);
  }
  return std::make_unique<simulator::Simulation>(network, settings);
}

/// What a run is resumed from. Of several ranks the first has it.
std::optional<io::Checkpoint> resume_from(const io::RunIdentity& identity,
                                          const RunOptions& options, RunRecord& record) {
  if (!record.resumes()) {
    if (options.resume)
      report("{}: has no checkpoint, so the run begins at 0 ms\n", record.directory().string());
    return {};
  }
  io::Checkpoint from = checkpoint_for(identity, record.directory());
  record.note(
      [&](io::RunSummary& summary) { summary.resumed_ms = summary.checkpoint_ms = from.time_ms; });
  if (!options.quiet) report("resumed at {:.10g} ms\n", from.time_ms);
  return from;
}

simulator::SimulationOptions settings_of(const LoadedModel& model, const RunOptions& options,
                                         simulator::Backend backend) {
  simulator::SimulationOptions settings;
  settings.mechanisms = model.mechanisms;
  settings.threads = threads_of(options);
  settings.backend = backend;
  settings.most_epoch_steps = options.most_epoch_steps;
  settings.activity = &current_activity();
  settings.announce = announce;
  settings.together = {ranks(), options.exchange, options.overlap, tell};
  return settings;
}

/// Builds and runs a model, of which the rows of lists are gone then. What is written until then
/// stays in the record when this throws. record: of the first rank; elsewhere null.
void simulate(LoadedModel& model, const RunOptions& options, simulator::Backend backend,
              const io::Provenance& provenance, CheckpointTimes& checkpoints,
              ProgressLine& progress, RunRecord* record) {
  const models::Network& network = model.network;
  const io::RunIdentity identity = identity_of(provenance, options);
  std::optional<io::Checkpoint> from;
  together([&] {
    if (record) from = resume_from(identity, options, *record);
  });
  if (ranks()) {
    current_activity().begin("dealing out lists of connections");
    simulator::deal_lists(*ranks(), tell, model.mechanisms, model.network);
  }
  const auto built = build(network, settings_of(model, options, backend), options, record);
  simulator::Simulation& simulation = *built;
  for (models::Projection& projection : model.network.projections) projection.connect.rows.take();
  std::optional<OutputSink> files;
  together([&] {
    if (!record) return;
    record->note([&](io::RunSummary& summary) { note_built(summary, network, simulation); });
    const io::KeptRows* kept = from ? &from->rows : nullptr;
    io::OutputWriter& writer =
        record->open_files(simulator::RecordedSpikes(network).populations(),
                           with_shapes(network, simulation.reports()), provenance,
                           options.flush_interval_s, kept);
    files.emplace(network, simulation.reports(), writer, kept);
  });
  NoSink none;
  simulator::RunSink& sink = files ? static_cast<simulator::RunSink&>(*files) : none;
  const auto note_timings = [&] {
    if (!record) return;
    record->note([&](io::RunSummary& summary) {
      note_timings_of(summary, simulation.timings(), checkpoints.any());
      if (!summary.propagation.empty())
        note_turns(summary, simulation.on_device(), network.run.dt_ms);
      summary.spikes = files->count();
    });
  };
  progress.set_dt(network.run.dt_ms);
  simulator::Saving saving;
  std::optional<SavesWhenStopped> saves_when_stopped;
  if (checkpoints.any()) {
    saves_when_stopped.emplace();
    saving = saving_of(identity, network.run.dt_ms, checkpoints, record, files ? &*files : nullptr);
  }
  const auto show_progress = [&](const simulator::Progress& now) {
    if (!checkpoints.awaits_last() || now.step == now.steps) throw_if_stopped();
    progress.set_spikes(now.spikes);
  };
  try {
    if (is_true_of_any(from.has_value()))
      simulation.resume(from ? std::move(from->state) : State(), sink, show_progress, saving);
    else
      simulation.run(sink, show_progress, saving);
  } catch (const StateMismatch& mismatch) {
    throw InputOutputError(record->directory().string(),
                           fmt::format("cannot be resumed: its checkpoint is not of this network "
                                       "({})",
                                       mismatch.what()));
  } catch (...) {
    note_timings();
    throw;
  }
  note_timings();
  current_activity().begin("writing");
}

/// The files and run.json of a run that ended early. Throws what is to be reported.
[[noreturn]] void close_after(const std::exception& failure, RunRecord& record) {
  // What came before the failure stays readable; the failure itself is what is reported. After a
  // signal the files may have been closed under the simulation's feet.
  const int signal = stop_signal();
  const Interrupted interrupted(signal);
  const auto* of_rank = dynamic_cast<const RankFailed*>(&failure);
  const bool is_stopped = signal || (of_rank && of_rank->exit_code() > 128);
  if (is_stopped) tell_where_it_goes_on(record);
  if (record.close(is_stopped ? io::RunStatus::interrupted : io::RunStatus::failed,
                   signal ? interrupted.what() : describe(failure)) &&
      signal && !of_rank)
    throw interrupted;
  throw;
}

}  // namespace

void run_model(const RunOptions& options) {
  using clock = std::chrono::steady_clock;
  const auto since = [](clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  ProgressLine progress(current_activity(),
                        options.quiet ? ProgressLine::Shown::no : ProgressLine::Shown::yes);
  current_activity().begin("looking for a GPU");
  simulator::BackendChoice backend = choose_backend_together(options);
  const auto reading = clock::now();
  LoadedModel model;
  together([&] {
    model = load_model(options.model, OwnMechanisms::loaded,
                       backend.backend == simulator::Backend::cuda ? Use::run_on_gpu : Use::run,
                       own_part());
  });
  tell_backend(backend, options);
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  const models::Network& network = model.network;

  CheckpointTimes checkpoints(options.checkpoints, network.run.dt_ms);

  io::RunSummary summary;
  summary.version = HILLOCK_VERSION;
  summary.host = io::host_name();
  summary.start = io::now_iso8601();
  summary.ranks = ranks() ? ranks()->count() : 1;
  summary.threads = threads_of(options);
  note_backend(summary, backend);
  summary.instruction_set = name_of(active_isa());
  summary.hdf5_version = io::hdf5_version();
  summary.model = options.model.file;
  summary.seed = network.run.seed;
  summary.dt_ms = network.run.dt_ms;
  summary.steps = static_cast<std::uint64_t>(network.run.steps);
  summary.populations = populations_of(network);
  for (const auto& warning : model.warnings) summary.warnings.push_back(to_string(warning));
  summary.options = options.as_given;
  summary.timings_s["read"] = since(reading);

  const io::Provenance provenance = provenance_of(network);
  summary.model_sha256 = provenance.model_sha256;
  const std::string output =
      options.output.empty() ? default_output(options.model.file) : options.output;
  summary.outputs = {"spikes.h5"};
  for (const auto& recording : network.recordings)
    if (recording.variable) summary.outputs.push_back(recording.name + ".h5");
  check_same_run(identity_of(provenance, options));
  refuse_what_cannot_fit(model, load_options_of(options),
                         !options.ignores_memory && backend.backend == simulator::Backend::cpu);
  // The directory is taken first: a run that must not be overwritten is refused before it is built.
  std::optional<RunRecord> record;
  together([&] {
    if (is_first_rank())
      record.emplace(output, std::move(summary),
                     options.force    ? io::ExistingRun::replace
                     : options.resume ? io::ExistingRun::resume
                                      : io::ExistingRun::keep);
  });
  try {
    simulate(model, options, backend.backend, provenance, checkpoints, progress,
             record ? &*record : nullptr);
    together([&] {
      if (record) record->complete();
    });
  } catch (const std::exception& failure) {
    if (!record) throw;
    close_after(failure, *record);
  }
  progress.finish();
  if (!record) return;
  if (options.json) print("{}\n", io::to_json(record->summary()));
  if (!options.quiet) print_table(record->summary(), output);
}

}  // namespace hillock::command
