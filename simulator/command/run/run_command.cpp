#include "simulator/command/run/run_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "io/run/checkpoint.hpp"
#include "io/run/run_directory.hpp"
#include "io/run/trace_file.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/exit_code.hpp"
#include "simulator/command/process/memory_check.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/run/same_run.hpp"
#include "simulator/command/run/watched_record.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/ranks/deal_lists.hpp"
#include "simulator/session/output_sink.hpp"
#include "simulator/session/run_summary.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::command {

namespace {

std::string default_output(const std::string& model) {
  std::filesystem::path path(model);
  path.replace_extension(".out");
  return path.string();
}

std::string where_it_ran(const io::RunSummary& summary) {
  const std::string ranks = summary.ranks > 1 ? fmt::format("{} ranks of ", summary.ranks) : "";
  if (!summary.device.empty()) return ranks + summary.device.substr(0, summary.device.find(','));
  return ranks + counted(static_cast<std::uint64_t>(summary.threads), "thread");
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
  const bool has_compartments = summary.compartments > 0;
  report("{}, {} on {}: {:.3g} {}-steps/s\n",
         has_compartments
             ? counted(summary.cells, "cell") + ", " + counted(summary.compartments, "compartment")
             : counted(summary.cells, "neuron"),
         counted(static_cast<std::uint64_t>(summary.steps), "step"), where_it_ran(summary),
         static_cast<double>(has_compartments ? summary.compartments : summary.cells) * steps /
             std::max(1e-9, summary.timings_s.at("advance")),
         has_compartments ? "compartment" : "neuron");
  if (summary.biological_ms_per_s)
    report("{} (biological time by wall time){}\n", speed_text(*summary.biological_ms_per_s),
           summary.mean_rate_hz
               ? "; a cell spikes at " + rate_text(*summary.mean_rate_hz) + " in the mean"
               : "");
  report("{} recorded; output in {}\n", counted(summary.spikes, "spike"), directory);
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

/// When and how a run is saved: behind its output, which a resumed run goes on after.
simulator::Saving saving_of(const io::RunIdentity& identity, double dt_ms,
                            CheckpointTimes& checkpoints, session::RunRecord* record,
                            session::OutputSink* sink) {
  simulator::Saving saving;
  saving.every_steps = checkpoints.every_steps();
  saving.is_wanted = [&] { return checkpoints.is_due(); };
  saving.keep = [&checkpoints, record, sink, identity, dt_ms](State state, std::int64_t step) {
    const NotNow saves;
    if (!record) return checkpoints.note_checkpoint();
    const double time_ms = static_cast<double>(step) * dt_ms;
    io::write_checkpoint(record->directory(), {identity, time_ms, sink->sync(), std::move(state)});
    checkpoints.note_checkpoint();
    record->note([&](io::RunSummary& summary) { summary.checkpoint_ms = time_ms; });
  };
  return saving;
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

/// Of what ranks share out among them.
io::Part own_part() {
  if (!ranks()) return {};
  return {static_cast<std::uint64_t>(ranks()->number()),
          static_cast<std::uint64_t>(ranks()->count())};
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

/// Says in the record what a run is resumed from, if it is.
void note_resumption(const std::optional<io::Checkpoint>& from, const RunOptions& options,
                     session::RunRecord& record) {
  if (!from) {
    if (options.resume)
      report("{}: has no checkpoint, so the run begins at 0 ms\n", record.directory().string());
    return;
  }
  record.note(
      [&](io::RunSummary& summary) { summary.resumed_ms = summary.checkpoint_ms = from->time_ms; });
  if (!options.quiet) report("resumed at {:.10g} ms\n", from->time_ms);
}

/// Whether a run that is to be resumed is over.
bool is_complete(const std::string& output, const io::Provenance& provenance,
                 const RunOptions& options) {
  bool is_complete = false;
  together([&] {
    const auto given = options.as_given.find("--set");
    is_complete = is_first_rank() &&
                  io::holds_complete_run(output, provenance.model_sha256,
                                         given == options.as_given.end() ? "" : given->second);
  });
  return is_true_of_any(is_complete);
}

simulator::SimulationOptions settings_of(const LoadedModel& model, const RunOptions& options) {
  simulator::SimulationOptions settings;
  settings.mechanisms = model.mechanisms;
  settings.threads = threads_of(options);
  settings.most_epoch_steps = options.most_epoch_steps;
  settings.side_by_side = options.side_by_side;
  settings.activity = &current_activity();
  settings.announce = announce;
  settings.together = {ranks(), options.exchange, options.overlap, tell};
  return settings;
}

std::unique_ptr<simulator::Simulation> build(const LoadedModel& model, const RunOptions& options,
                                             simulator::BackendChoice& backend,
                                             session::RunRecord* record) {
  const simulator::Backend wanted = backend.backend;
  auto built = session::make_simulation(model.network, settings_of(model, options), options.backend,
                                        backend);
  if (backend.backend != wanted) {
    tell_backend(backend, options);
    record->note([&](io::RunSummary& summary) { session::note_backend(summary, backend); });
  }
  return built;
}

/// Notes what was built, and opens the files that the first rank writes. from: where the run is
/// resumed. are_kept: whether checkpoints are.
session::OutputSink& open_files(session::RunRecord& record, const models::Network& network,
                                const simulator::Simulation& simulation,
                                const io::Provenance& provenance, const RunOptions& options,
                                const std::optional<io::Checkpoint>& from, bool are_kept) {
  record.note([&](io::RunSummary& summary) {
    for (const auto& line : session::note_built(summary, network, simulation)) report("{}\n", line);
  });
  io::OutputOptions of_output;
  of_output.flush_interval_s = options.flush_interval_s;
  if (from || are_kept) of_output.hashing = io::Hashing::yes;
  return record.open(network, simulation, provenance, of_output, from ? &from->output : nullptr);
}

/// Runs it, or goes on from what the first rank has. note_timings: called when it ends, but for a
/// checkpoint of another network.
void run_or_resume(simulator::Simulation& simulation, std::optional<io::Checkpoint> from,
                   simulator::RunSink& sink,
                   const std::function<void(const simulator::Progress&)>& progress,
                   const simulator::Saving& saving, session::RunRecord* record,
                   const std::function<void()>& note_timings) {
  try {
    if (is_true_of_any(from.has_value()))
      simulation.resume(from ? std::move(from->state) : State(), sink, progress, saving);
    else
      simulation.run(sink, progress, saving);
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
}

/// Builds and runs a model, of which the rows of lists are gone then. What is written until then
/// stays in the record when this throws. record, from (where it goes on): of the first rank;
/// elsewhere null.
void simulate(LoadedModel& model, const RunOptions& options, simulator::BackendChoice backend,
              const io::Provenance& provenance, CheckpointTimes& checkpoints,
              ProgressLine& progress, session::RunRecord* record,
              std::optional<io::Checkpoint> from) {
  const models::Network& network = model.network;
  const io::RunIdentity identity = identity_of(provenance, options);
  together([&] {
    if (record) note_resumption(from, options, *record);
  });
  if (ranks()) {
    current_activity().begin("dealing out lists of connections");
    simulator::deal_lists(*ranks(), tell, model.mechanisms, model.network);
  }
  const auto built = build(model, options, backend, record);
  simulator::Simulation& simulation = *built;
  for (models::Projection& projection : model.network.projections) projection.connect.rows.take();
  session::OutputSink* files = nullptr;
  together([&] {
    if (record)
      files =
          &open_files(*record, network, simulation, provenance, options, from, checkpoints.any());
  });
  session::NoSink none;
  simulator::RunSink& sink = files ? static_cast<simulator::RunSink&>(*files) : none;
  const auto note_timings = [&] {
    if (record) record->note_done(network, simulation, checkpoints.any());
  };
  // Each of several ranks hears of its own spikes alone.
  progress.set_run(network.run.dt_ms, ranks() ? 0 : simulation.counts().spiking_cells());
  simulator::Progress last;
  simulator::Saving saving;
  std::optional<SavesWhenStopped> saves_when_stopped;
  if (checkpoints.any()) {
    saves_when_stopped.emplace();
    saving = saving_of(identity, network.run.dt_ms, checkpoints, record, files);
  }
  const auto show_progress = [&](const simulator::Progress& now) {
    if (!checkpoints.awaits_last() || now.step == now.steps) throw_if_stopped();
    progress.set_spikes(now.spikes);
    last = now;
  };
  run_or_resume(simulation, std::move(from), sink, show_progress, saving, record, note_timings);
  const std::uint64_t spikes = sum_of_ranks(last.spikes);
  if (record)
    record->note([&](io::RunSummary& summary) {
      session::note_pace(summary, simulation, static_cast<double>(last.step) * network.run.dt_ms,
                         spikes);
    });
  current_activity().begin("writing");
}

io::ExistingRun existing_run(const RunOptions& options) {
  return options.force    ? io::ExistingRun::replace
         : options.resume ? io::ExistingRun::resume
                          : io::ExistingRun::keep;
}

io::RunSummary summary_of(const LoadedModel& model, const RunOptions& options,
                          const io::Provenance& provenance,
                          const simulator::BackendChoice& backend) {
  io::RunSummary summary = session::summary_of(model, options.model.file, provenance);
  summary.ranks = ranks() ? ranks()->count() : 1;
  summary.threads = threads_of(options);
  session::note_backend(summary, backend);
  summary.options = options.as_given;
  return summary;
}

void run_untraced(const RunOptions& options) {
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

  const io::Provenance provenance = session::provenance_of(network);
  io::RunSummary summary = summary_of(model, options, provenance, backend);
  summary.timings_s["read"] = since(reading);

  const std::string output =
      options.output.empty() ? default_output(options.model.file) : options.output;
  check_same_run(identity_of(provenance, options));
  if (options.resume && is_complete(output, provenance, options)) {
    progress.finish();
    if (is_first_rank()) report("{}: holds the complete run, so nothing is left to do\n", output);
    return;
  }
  refuse_what_cannot_fit(model, load_options_of(options),
                         !options.ignores_memory && backend.backend == simulator::Backend::cpu);
  // A checkpoint of another run is refused before anything is written.
  std::optional<io::Checkpoint> from;
  together([&] {
    if (is_first_rank() && options.resume && !options.force && io::has_checkpoint(output))
      from = checkpoint_for(identity_of(provenance, options), output);
  });
  // The directory is taken first: a run that must not be overwritten is refused before it is built.
  std::optional<WatchedRecord> record;
  together([&] {
    if (is_first_rank()) record.emplace(output, std::move(summary), existing_run(options));
  });
  const auto run = [&] {
    simulator::return_free_memory();
    simulate(model, options, backend, provenance, checkpoints, progress,
             record ? &*record : nullptr, std::move(from));
    simulator::return_free_memory();
    together([&] {
      if (record) record->complete();
    });
  };
  if (record)
    record->keep(run);
  else
    run();
  progress.finish();
  if (!record) return;
  if (options.json) print("{}\n", io::to_json(record->summary()));
  if (!options.quiet) print_table(record->summary(), output);
}

/// Of several ranks each has its own: t.json, t.1.json, t.2.json.
std::filesystem::path own_trace_file(const std::string& file) {
  std::filesystem::path path(file);
  if (!is_first_rank())
    path.replace_extension(fmt::format(".{}{}", ranks()->number(), path.extension().string()));
  return path;
}

}  // namespace

void run_model(const RunOptions& options) {
  if (options.trace.empty()) return run_untraced(options);
  constexpr std::size_t most_spans = 500'000;
  std::optional<io::TraceFile> file;
  together([&] { file.emplace(own_trace_file(options.trace)); });
  const Trace trace(most_spans);
  const auto write = [&] { file->write(trace, ranks() ? ranks()->number() : 0); };
  try {
    run_untraced(options);
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    try {
      write();
    } catch (const InputOutputError&) {  // the run's failure is the one to tell of
    }
    std::rethrow_exception(failure);
  }
  write();
  if (trace.is_full())
    report("{}: has the run's first {} pieces of work, and no more\n", options.trace, most_spans);
}

}  // namespace hillock::command
