#include "simulator/command/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/program/command_line.hpp"
#include "core/program/own_libraries.hpp"
#include "core/program/standard_streams.hpp"
#include "simulator/command/bench_command.hpp"
#include "simulator/command/choice_option.hpp"
#include "simulator/command/completion/completion.hpp"
#include "simulator/command/export_command.hpp"
#include "simulator/command/import_command.hpp"
#include "simulator/command/info/build_text.hpp"
#include "simulator/command/info/info_command.hpp"
#include "simulator/command/info/rank_table.hpp"
#include "simulator/command/mech_command.hpp"
#include "simulator/command/new_command.hpp"
#include "simulator/command/page/report_command.hpp"
#include "simulator/command/page/view_command.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/exit_code.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/command/process/standard_input.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/run/run_command.hpp"
#include "simulator/command/run/time_command.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/command/threshold_command.hpp"

namespace hillock::command {

namespace {

/// An unset variable of a shell, say, is no name of a place.
const CLI::Validator named([](std::string& text) { return text.empty() ? "is empty" : ""; }, "");

int output_error = 0;  ///< errno of a failure to write to standard output

/// Every copy would do the same.
void refuse_several_ranks() {
  if (const int count = started_ranks(); count > 1)
    throw UsageError(
        fmt::format("started as one of {} MPI ranks, and only `hillock run` runs on "
                    "several. Start it once, without mpirun",
                    count));
}

void add_model_arguments(CLI::App& command, ModelOptions& model) {
  command.add_option("model", model.file, "the model file (YAML); - is standard input")
      ->required()
      ->type_name("FILE.yaml");
  command.add_option("--set", model.overrides, "replace a value of the model: run.duration=1s")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);  // one value each, so that the model may follow
}

template <class Wish>
void add_backend_option(CLI::App& command, Wish& wish, const char* help) {
  const Choices<simulator::BackendWish> backends{{"auto", simulator::BackendWish::automatic},
                                                 {"cpu", simulator::BackendWish::cpu},
                                                 {"cuda", simulator::BackendWish::cuda}};
  add_choice(command, "--backend", wish, backends, help,
             {{"gpu", "NVIDIA GPUs are called 'cuda'"}});
}

int report_failure() {
  const network::ToldFailure told = tell(std::current_exception());
  if (told.exit_code > 128 && stop_signal() != 0) {
    report_interruption(stop_signal());
    return told.exit_code;
  }
  end_as_told(told.exit_code);
  report("{}\n", words_of(told));
  return told.exit_code;
}

int guarded(const std::function<void()>& action) {
  try {
    action();
    return success;
  } catch (const Interrupted& error) {
    report_interruption(error.signal());
    return 128 + error.signal();
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) return report_failure();
    output_error = error.code().value();  // main tells of it
    return success;
  } catch (...) {
    return report_failure();
  }
}

/// What is not done by several ranks.
int guarded_alone(const std::function<void()>& action) {
  watch_stop_signals();
  return guarded([&] {
    refuse_several_ranks();
    action();
  });
}

/// Throws UsageError where what is written would be called after a model that has no name.
void need_name(const ModelOptions& model, const std::string& output, const char* command,
               const char* what, const char* kind) {
  if (is_standard_input(model) && output.empty())
    throw UsageError(fmt::format(
        "{}: a model from standard input has no name to call {} by: name one with -o {}", command,
        what, kind));
}

/// On as many ranks as the program was started as.
int run_on_ranks(RunOptions options) {
  watch_stop_signals();
  network::Ranks* ranks = nullptr;
  bool are_agreed = false;  // what fails on one fails on all
  const int code = guarded([&] {
    need_name(options.model, options.output, "run", "the output directory", "DIR");
    ranks = join_ranks();
    try {
      take_standard_input(options.model);
      run_model(options);
      are_agreed = true;
    } catch (const RankFailed&) {
      are_agreed = true;
      throw;
    } catch (...) {
      if (ranks) is_silent = false;
      throw;
    }
  });
  // A rank that fails by itself would be waited for.
  if (ranks && !are_agreed) ranks->abort(code);
  leave_ranks();
  return code;
}

/// What a command line asks for; returns the exit code.
using Action = std::function<int()>;

/// Sets the action where this command is asked for. its: called with the options, which live as
/// long as the parser.
template <class Options, class Its>
void act(CLI::App& command, Action& action, const std::shared_ptr<Options>& options, Its its) {
  command.callback([&action, options, its] { action = [options, its] { return its(*options); }; });
}
template <class Options, class Its>
void act_alone(CLI::App& command, Action& action, const std::shared_ptr<Options>& options,
               Its its) {
  act(command, action, options, [its](Options& of) { return guarded_alone([&] { its(of); }); });
}

void add_validate(CLI::App& app, Action& action) {
  const auto model = std::make_shared<ModelOptions>();
  CLI::App& validate = *app.add_subcommand("validate", "check a model and report every error");
  add_model_arguments(validate, *model);
  act_alone(validate, action, model, [](ModelOptions& of) {
    take_standard_input(of);
    ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
    const LoadedModel loaded = load_model(of, OwnMechanisms::checked, Use::run);
    progress.finish();
    for (const auto& warning : loaded.warnings) report("{}\n", to_string(warning));
    print_folded("{}: valid\n", of.file);
  });
}

struct InfoOptions {
  ModelOptions model;
  std::string branches_of;
  bool as_json = false;
  std::optional<simulator::BackendWish> backend;
  std::optional<int> ranks;
  bool of_gradient = false;
  bool is_timed = false;
  int threads = 0;
};

void show_info(InfoOptions& info) {
  if (info.ranks && (info.backend || !info.branches_of.empty()))
    throw UsageError("--ranks tells of the CPU, and goes with neither --backend nor --branches");
  if (info.is_timed && (info.ranks || !info.branches_of.empty()))
    throw UsageError("--time goes with neither --ranks nor --branches");
  if (info.of_gradient && (info.ranks || info.is_timed || !info.branches_of.empty()))
    throw UsageError("--gradient goes with none of --ranks, --time and --branches");
  take_standard_input(info.model);
  if (info.is_timed)
    print_time(info.model, info.backend.value_or(simulator::BackendWish::automatic), info.threads,
               info.as_json);
  else if (info.ranks)
    print_ranks(info.model, *info.ranks, info.as_json);
  else if (info.branches_of.empty())
    print_info(info.model, info.backend, info.of_gradient, info.as_json);
  else
    print_branches(info.model, info.branches_of);
}

void add_info(CLI::App& app, Action& action) {
  const auto of = std::make_shared<InfoOptions>();
  CLI::App& info =
      *app.add_subcommand("info", "show what a model comes to, and how long a run would take");
  add_model_arguments(info, of->model);
  info.add_option("--branches", of->branches_of, "print this cell's branches and areas as JSON")
      ->type_name("CELL");
  add_backend_option(info, of->backend,
                     "what the model comes to there: cpu (the default), cuda, or auto: where a run "
                     "takes");
  info.add_flag("--json", of->as_json, "print JSON");
  info.add_option("--ranks", of->ranks,
                  "what each of so many ranks would have, without building the network")
      ->check(CLI::Range(1, 1'000'000));
  info.add_flag("--gradient", of->of_gradient,
                "also what a derivative of the run would keep of its steps");
  CLI::Option* time = info.add_flag(
      "--time", of->is_timed,
      "what a run will take, from two seconds of it, of which nothing is written (--backend: auto "
      "by default, as of a run)");
  info.add_option("--threads", of->threads, "of that run (default: one a core)")
      ->check(CLI::Range(1, 4096))
      ->needs(time);
  act_alone(info, action, of, show_info);
}

int check_mods(const std::vector<std::string>& paths) {
  CheckOutcome outcome = CheckOutcome::good;
  const int code = guarded_alone([&] { outcome = check_mechanisms(paths); });
  if (code != success) return code;
  if (outcome == CheckOutcome::unreadable) return input_output;
  return outcome == CheckOutcome::errors ? invalid : success;
}

void add_mech(CLI::App& app, Action& action) {
  CLI::App& mech = *app.add_subcommand("mech", "mechanisms: the built-in ones, and NMODL files");
  mech.require_subcommand(1);
  using Paths = std::vector<std::string>;
  const auto add = [&](const char* name, const char* what) -> CLI::App& {
    return *mech.add_subcommand(name, what);
  };
  const auto checked = std::make_shared<Paths>();
  CLI::App& check = add("check", "check .mod files and report every error");
  check.add_option("paths", *checked, ".mod files, or folders that hold them")
      ->required()
      ->type_name("FILE.mod");
  act(check, action, checked, check_mods);

  const auto built = std::make_shared<Paths>();
  CLI::App& build = add("build", "compile .mod files into the cache");
  build.add_option("paths", *built, ".mod files, or folders that hold them")
      ->required()
      ->type_name("FILE.mod");
  act_alone(build, action, built, build_mechanisms);

  const auto listed = std::make_shared<Paths>();
  CLI::App& list = add("list", "the built-in mechanisms, and those of .mod files");
  list.add_option("paths", *listed, ".mod files, or folders that hold them")->type_name("FILE.mod");
  act_alone(list, action, listed, list_mechanisms);

  const auto shown = std::make_shared<std::string>();
  CLI::App& show = add("show", "a mechanism's variables");
  show.add_option("name", *shown, "the name of a built-in mechanism, or a .mod file")
      ->required()
      ->type_name("MECHANISM");
  act_alone(show, action, shown, show_mechanism);
}

void add_run(CLI::App& app, Action& action) {
  const auto of = std::make_shared<RunOptions>();
  CLI::App& run = *app.add_subcommand("run", "simulate a model");
  add_model_arguments(run, of->model);
  run.add_option("-o,--output", of->output,
                 "output directory (default: <model>.out; needed with -)")
      ->type_name("DIR")
      ->check(named);
  add_backend_option(run, of->backend,
                     "auto: a GPU where there is one that can be used, else the CPU (the default); "
                     "cpu; cuda: an NVIDIA GPU");
  run.add_option("--threads", of->threads, "threads (default: one a core)")
      ->check(CLI::Range(1, 4096));
  run.add_option("--epoch-steps", of->most_epoch_steps,
                 "the most steps between exchanges of spikes; results do not depend on it")
      ->check(CLI::Range(1, 400));
  run.add_option("--side-by-side", of->side_by_side,
                 "on the CPU, cells side by side: 1, 4 or 8 (default: as many as a core's cache "
                 "holds); results do not depend on it")
      ->check(CLI::IsMember({1, 4, 8}));
  add_choice<network::ExchangeKind, network::ExchangeKind>(
      run, "--exchange", of->exchange,
      {{"auto", network::ExchangeKind::automatic},
       {"all", network::ExchangeKind::all},
       {"neighbours", network::ExchangeKind::neighbours}},
      "of several ranks, who gets spikes: auto, all, or neighbours (ranks with targets)");
  add_choice<simulator::Overlap, simulator::Overlap>(
      run, "--overlap", of->overlap,
      {{"auto", simulator::Overlap::automatic},
       {"on", simulator::Overlap::yes},
       {"off", simulator::Overlap::no}},
      "of several ranks, whether spikes travel while the next epoch runs");
  run.add_option("--flush-interval", of->flush_interval_s,
                 "how much output a kill may lose, 10ms to 1h: 5s (or 5)")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, double>{{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}},
          CLI::AsNumberWithUnit::CASE_SENSITIVE))
      ->check(CLI::Range(0.01, 3600.0))
      ->type_name("TIME");
  run.add_option("--checkpoint-every", of->checkpoints.every,
                 "save the run whenever so much biological time has passed: 100ms")
      ->type_name("TIME");
  run.add_option("--checkpoint-wall", of->checkpoints.wall,
                 "save the run whenever so much time has passed: 30s, 10min, 2h")
      ->type_name("TIME");
  CLI::Option* resume =
      run.add_flag("--resume", of->resume, "go on from where the run was last saved");
  run.add_flag("--force", of->force, "overwrite an existing run")->excludes(resume);
  run.add_flag("--ignore-memory", of->ignores_memory,
               "run also what is expected to take more memory than there is");
  run.add_option("--trace", of->trace,
                 "write which thread was at what and when, for trace viewers (Perfetto)")
      ->type_name("FILE")
      ->check(named);
  run.add_flag("--json", of->json, "print the run's summary as JSON");
  run.add_flag("--quiet", of->quiet, "no progress and no table");
  act(run, action, of, [&run](RunOptions& options) {
    for (const CLI::Option* option : run.get_options())
      if (option->count() > 0)
        options.as_given[option->get_name()] = fmt::format("{}", fmt::join(option->results(), " "));
    return run_on_ranks(options);
  });
}

void add_threshold(CLI::App& app, Action& action) {
  const auto of = std::make_shared<ThresholdOptions>();
  CLI::App& threshold = *app.add_subcommand(
      "threshold", "look for the least value that makes each cell of a population spike");
  add_model_arguments(threshold, of->model);
  threshold
      .add_option("path", of->wish.scale,
                  "what is looked for, a value that may vary by cell: stimuli.0.field.scale")
      ->required()
      ->type_name("KEY");
  threshold.add_option("population", of->wish.population, "whose cells")
      ->required()
      ->type_name("POPULATION");
  threshold
      .add_option("--low", of->wish.bounds.low,
                  "from where on, in the base unit of that value (default: 0)")
      ->type_name("NUMBER");
  threshold.add_option("--high", of->wish.bounds.high, "up to where (default: 1)")
      ->type_name("NUMBER");
  threshold
      .add_option("--tolerance", of->wish.bounds.tolerance,
                  "of a threshold, relative to it (default: 0.01)")
      ->type_name("NUMBER");
  threshold
      .add_option("--spikes-at", of->wish.spikes_at,
                  "where a spike counts, axon(0.95) (default: where the cell's detector is)")
      ->type_name("LOCATION");
  threshold.add_flag("--block", of->wish.block,
                     "the least with which a cell does not spike, that spikes without");
  const auto add_time = [&](const char* name, double& to, const char* help) {
    threshold.add_option(name, to, help)
        ->transform(CLI::AsNumberWithUnit(
            std::map<std::string, double>{{"us", 1e-3}, {"ms", 1}, {"s", 1e3}},
            CLI::AsNumberWithUnit::CASE_SENSITIVE))
        ->type_name("TIME");
  };
  add_time("--from", of->wish.from_ms, "spikes count from there on, 2ms (or 2)");
  add_time("--until", of->wish.until_ms, "and before then");
  threshold
      .add_option("--values", of->values,
                  "the same with each of these instead of a value of the model, as a curve of "
                  "strength and duration: stimuli.0.field.waveform.duration=0.1ms,0.2ms")
      ->type_name("KEY=VALUE,VALUE")
      ->allow_extra_args(false);
  add_backend_option(threshold, of->backend, "auto (the default), cpu or cuda, as of a run");
  threshold.add_option("--threads", of->threads, "threads (default: one a core)")
      ->check(CLI::Range(1, 4096));
  threshold.add_option("-o,--output", of->output, "write all as a CSV file, too")
      ->type_name("FILE.csv")
      ->check(named);
  threshold.add_flag("--json", of->as_json, "print JSON");
  act_alone(threshold, action, of, [](ThresholdOptions& options) {
    take_standard_input(options.model);
    show_thresholds(options);
  });
}

struct NewOptions {
  std::string file = "model.yaml", kind = kinds_of_models().front();
};

void add_new(CLI::App& app, Action& action) {
  const auto of = std::make_shared<NewOptions>();
  CLI::App& fresh = *app.add_subcommand("new", "make a commented model to start from");
  fresh
      .add_option("file", of->file, "the file to make (default: model.yaml); - is standard output")
      ->type_name("FILE.yaml");
  Choices<std::string> kinds;
  for (const std::string& each : kinds_of_models()) kinds.emplace_back(each, each);
  add_choice(fresh, "--kind", of->kind, kinds,
             "cells: a network of cells with a soma and a dendrite (the default); points: "
             "a network of point neurons; morphology: one cell from an SWC file");
  act_alone(fresh, action, of, [](const NewOptions& made) { make_model(made.file, made.kind); });
}

void add_import(CLI::App& app, Action& action) {
  const auto of = std::make_shared<ImportOptions>();
  CLI::App& import = *app.add_subcommand(
      "import", "write a SONATA circuit as a model file, to see what it became");
  import.add_option("config", of->config, "the configuration of a simulation")
      ->required()
      ->type_name("FILE.json");
  import
      .add_option("-o,--output", of->output,
                  "the model file (default: model.yaml); its data files lie in a folder beside it")
      ->type_name("FILE.yaml")
      ->check(named);
  import.add_flag("--force", of->force, "overwrite what is there");
  act_alone(import, action, of, import_model);
}

void add_export(CLI::App& app, Action& action) {
  const auto of = std::make_shared<ExportOptions>();
  CLI::App& exporting = *app.add_subcommand(
      "export", "write what a model becomes as a SONATA circuit: nodes, edges, their places");
  add_model_arguments(exporting, of->model);
  exporting.add_option("-o,--output", of->output, "the folder (default: <model>.circuit)")
      ->type_name("DIR")
      ->check(named);
  exporting.add_flag("--force", of->force, "overwrite a circuit that is there");
  act_alone(exporting, action, of, [](ExportOptions& exported) {
    need_name(exported.model, exported.output, "export", "the folder", "DIR");
    take_standard_input(exported.model);
    export_model(exported);
  });
}

void add_completion(CLI::App& app, Action& action) {
  const auto of = std::make_shared<Shell>(Shell::bash);
  CLI::App& completion =
      *app.add_subcommand("completion", "print a script that completes hillock's words in a shell");
  add_choice<Shell, Shell>(completion, "shell", *of,
                           {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
                           "source <(hillock completion bash)")
      .required();
  act_alone(completion, action, of, [&app](Shell shell) {
    print("{}", completion_script(app, shell, {{"MECHANISM", names_of_mechanisms()}}));
  });
}

/// Prints where the library lies that NEURON loads in CoreNEURON's place.
void print_neuron_library() {
  const char* const name = "libhillock-neuron.so";
  const auto found = find_own_file(name);
  if (!found)
    throw UsageError(
        fmt::format("there is no {} here: it is part of Python's package (pip install "
                    "hillock-sim)",
                    name));
  print("{}\n", std::filesystem::absolute(*found).string());
}

void add_neuron_library(CLI::App& app, Action& action) {
  CLI::App& library = *app.add_subcommand(
      "neuron-library", "print the library that NEURON's psolve runs on Hillock with");
  library.footer("CORENEURONLIB=$(hillock neuron-library) python model.py");
  library.callback([&action] { action = [] { return guarded_alone(print_neuron_library); }; });
}

void add_view(CLI::App& app, Action& action) {
  const auto of = std::make_shared<ViewOptions>();
  CLI::App& view = *app.add_subcommand("view", "write one HTML page that shows a model");
  add_model_arguments(view, of->model);
  view.add_option("-o,--output", of->output, "the page (default: <model>.html)")->check(named);
  act_alone(view, action, of, [](ViewOptions& viewed) {
    need_name(viewed.model, viewed.output, "view", "the page", "FILE");
    take_standard_input(viewed.model);
    write_view(viewed);
  });
}

void add_report(CLI::App& app, Action& action) {
  const auto of = std::make_shared<ReportOptions>();
  CLI::App& report = *app.add_subcommand("report", "write one HTML page that shows a run");
  report.add_option("directory", of->directory, "the run's output directory")
      ->required()
      ->type_name("DIR");
  report.add_option("-o,--output", of->output, "the page (default: report.html in there)")
      ->type_name("FILE")
      ->check(named);
  act_alone(report, action, of, write_report);
}

void add_bench(CLI::App& app, Action& action) {
  CLI::App& bench = *app.add_subcommand(
      "bench", "measure this machine: hillock bench solvers [--quick] [--list] ...");
  bench.prefix_command();  // all that follows is for hillock-bench, --help too
  bench.set_help_flag();
  bench.callback([&action, &bench] {
    action = [words = bench.remaining()] {
      return guarded([&] {
        refuse_several_ranks();
        become_bench(words);
      });
    };
  });
}

int obey(int argc, char** argv) {
  CLI::App app{"Simulates networks of neurons described in YAML.", "hillock"};
  bool is_verbose = false;
  CLI::Option* const verbose =
      app.add_flag("--verbose", is_verbose, "with --version: what this build has, and finds here");
  verbose->needs(app.set_version_flag("--version", [&is_verbose] {
    return is_verbose ? describe_build() : std::string(HILLOCK_VERSION);
  }));
  app.require_subcommand(1);
  Action action;
  for (const auto add :
       {add_validate, add_info, add_mech, add_run, add_threshold, add_new, add_import, add_export,
        add_neuron_library, add_completion, add_view, add_report, add_bench})
    add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (print_what_was_asked(app, error)) return success;
    report("hillock: {}\n", explain(app, error));
    return usage;
  }
  return action();
}

}  // namespace

int run_program(int argc, char** argv) {
  guard_standard_streams();
  let_one_rank_speak();
  int code = obey(argc, argv);
  // What was stopped while it said how it went was stopped.
  if (code == success && has_lost_words()) code = 128 + stop_signal();
  try {
    finish_standard_output(output_error);
  } catch (const InputOutputError& error) {
    report("hillock: {}\n", error.what());
    return code == success ? input_output : code;
  }
  return code;
}

}  // namespace hillock::command
