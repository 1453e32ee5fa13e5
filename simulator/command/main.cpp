// The hillock command: reads arguments, and alone turns exceptions into messages and exit codes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/command_line.hpp"
#include "core/errors.hpp"
#include "core/standard_streams.hpp"
#include "simulator/command/bench_command.hpp"
#include "simulator/command/choice_option.hpp"
#include "simulator/command/completion.hpp"
#include "simulator/command/current_activity.hpp"
#include "simulator/command/exit_code.hpp"
#include "simulator/command/export_command.hpp"
#include "simulator/command/import_command.hpp"
#include "simulator/command/info_command.hpp"
#include "simulator/command/mech_command.hpp"
#include "simulator/command/new_command.hpp"
#include "simulator/command/progress_line.hpp"
#include "simulator/command/rank.hpp"
#include "simulator/command/rank_table.hpp"
#include "simulator/command/report.hpp"
#include "simulator/command/report_command.hpp"
#include "simulator/command/run_command.hpp"
#include "simulator/command/standard_input.hpp"
#include "simulator/command/stop_signal.hpp"
#include "simulator/command/time_command.hpp"
#include "simulator/command/view_command.hpp"

namespace {

using namespace hillock;

int output_error = 0;  ///< errno of a failure to write to standard output

/// Every copy would do the same.
void refuse_several_ranks() {
  if (const int count = command::started_ranks(); count > 1)
    throw UsageError(
        fmt::format("started as one of {} MPI ranks, and only `hillock run` runs on "
                    "several. Start it once, without mpirun",
                    count));
}

void add_model_arguments(CLI::App& command, command::ModelOptions& model) {
  command.add_option("model", model.file, "the model file (YAML); - is standard input")
      ->required()
      ->type_name("FILE.yaml");
  command.add_option("--set", model.overrides, "replace a value of the model: run.duration=1s")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);  // one value each, so that the model may follow
}

template <class Wish>
void add_backend_option(CLI::App& command, Wish& wish, const char* help) {
  const command::Choices<simulator::BackendWish> backends{
      {"auto", simulator::BackendWish::automatic},
      {"cpu", simulator::BackendWish::cpu},
      {"cuda", simulator::BackendWish::cuda}};
  command::add_choice(command, "--backend", wish, backends, help,
                      {{"gpu", "NVIDIA GPUs are called 'cuda'"}});
}

int report_failure() {
  const network::ToldFailure told = command::tell(std::current_exception());
  if (told.exit_code > 128 && command::stop_signal() != 0) {
    command::report_interruption(command::stop_signal());
    return told.exit_code;
  }
  command::end_as_told(told.exit_code);
  command::report("{}\n", command::words_of(told));
  return told.exit_code;
}

int guarded(const std::function<void()>& action) {
  try {
    action();
    return command::success;
  } catch (const Interrupted& error) {
    command::report_interruption(error.signal());
    return 128 + error.signal();
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) return report_failure();
    output_error = error.code().value();  // main tells of it
    return command::success;
  } catch (...) {
    return report_failure();
  }
}

/// What is not done by several ranks.
int guarded_alone(const std::function<void()>& action) {
  return guarded([&] {
    refuse_several_ranks();
    action();
  });
}

/// On as many ranks as the program was started as.
int run_on_ranks(command::RunOptions options) {
  network::Ranks* ranks = nullptr;
  bool are_agreed = false;  // what fails on one fails on all
  const int code = guarded([&] {
    if (command::is_standard_input(options.model) && options.output.empty())
      throw UsageError(
          "run: a model from standard input has no name to call the output directory by: name one "
          "with -o DIR");
    ranks = command::join_ranks();
    try {
      command::take_standard_input(options.model);
      command::run_model(options);
      are_agreed = true;
    } catch (const RankFailed&) {
      are_agreed = true;
      throw;
    } catch (...) {
      if (ranks) command::is_silent = false;
      throw;
    }
  });
  // A rank that fails by itself would be waited for.
  if (ranks && !are_agreed) ranks->abort(code);
  command::leave_ranks();
  return code;
}

int run_command(int argc, char** argv) {
  CLI::App app{"Simulates networks of neurons described in YAML.", "hillock"};
  app.set_version_flag("--version", HILLOCK_VERSION);
  app.require_subcommand(1);

  command::ModelOptions validated;
  CLI::App& validate = *app.add_subcommand("validate", "check a model and report every error");
  add_model_arguments(validate, validated);

  command::ModelOptions described;
  std::string branches_of;
  bool info_as_json = false;
  CLI::App& info =
      *app.add_subcommand("info", "show what a model comes to, and how long a run would take");
  add_model_arguments(info, described);
  info.add_option("--branches", branches_of, "print this cell's branches and areas as JSON")
      ->type_name("CELL");
  std::optional<simulator::BackendWish> told_of;
  add_backend_option(info, told_of,
                     "what the model comes to there: cpu (the default), cuda, or auto: where a run "
                     "takes");
  info.add_flag("--json", info_as_json, "print JSON");
  std::optional<int> info_ranks;
  info.add_option("--ranks", info_ranks,
                  "what each of so many ranks would have, without building the network")
      ->check(CLI::Range(1, 1'000'000));

  bool is_timed = false;
  int info_threads = 0;
  CLI::Option* time = info.add_flag(
      "--time", is_timed,
      "what a run will take, from two seconds of it, of which nothing is written (--backend: auto "
      "by default, as of a run)");
  info.add_option("--threads", info_threads, "of that run (default: one a core)")
      ->check(CLI::Range(1, 4096))
      ->needs(time);

  CLI::App& mech = *app.add_subcommand("mech", "mechanisms: the built-in ones, and NMODL files");
  mech.require_subcommand(1);
  std::vector<std::string> checked;
  CLI::App& check = *mech.add_subcommand("check", "check .mod files and report every error");
  check.add_option("paths", checked, ".mod files, or folders that hold them")
      ->required()
      ->type_name("FILE.mod");

  std::vector<std::string> built;
  CLI::App& build = *mech.add_subcommand("build", "compile .mod files into the cache");
  build.add_option("paths", built, ".mod files, or folders that hold them")
      ->required()
      ->type_name("FILE.mod");

  std::vector<std::string> listed;
  CLI::App& list = *mech.add_subcommand("list", "the built-in mechanisms, and those of .mod files");
  list.add_option("paths", listed, ".mod files, or folders that hold them")->type_name("FILE.mod");
  std::string shown;
  CLI::App& show = *mech.add_subcommand("show", "a mechanism's variables");
  show.add_option("name", shown, "the name of a built-in mechanism, or a .mod file")
      ->required()
      ->type_name("MECHANISM");

  command::RunOptions options;
  CLI::App& run = *app.add_subcommand("run", "simulate a model");
  add_model_arguments(run, options.model);
  run.add_option("-o,--output", options.output,
                 "output directory (default: <model>.out; needed with -)")
      ->type_name("DIR");
  add_backend_option(run, options.backend,
                     "auto: a GPU where there is one that can be used, else the CPU (the default); "
                     "cpu; cuda: an NVIDIA GPU");
  run.add_option("--threads", options.threads, "threads (default: one a core)")
      ->check(CLI::Range(1, 4096));
  run.add_option("--epoch-steps", options.most_epoch_steps,
                 "the most steps between exchanges of spikes; results do not depend on it")
      ->check(CLI::Range(1, 400));
  command::add_choice<network::ExchangeKind, network::ExchangeKind>(
      run, "--exchange", options.exchange,
      {{"auto", network::ExchangeKind::automatic},
       {"all", network::ExchangeKind::all},
       {"neighbours", network::ExchangeKind::neighbours}},
      "of several ranks, who gets spikes: auto, all, or neighbours (ranks with targets)");
  command::add_choice<simulator::Overlap, simulator::Overlap>(
      run, "--overlap", options.overlap,
      {{"auto", simulator::Overlap::automatic},
       {"on", simulator::Overlap::yes},
       {"off", simulator::Overlap::no}},
      "of several ranks, whether spikes travel while the next epoch runs");
  run.add_option("--flush-interval", options.flush_interval_s,
                 "seconds of output that a kill may lose")
      ->check(CLI::Range(0.01, 3600.0));
  run.add_option("--checkpoint-every", options.checkpoints.every,
                 "save the run whenever so much biological time has passed: 100ms")
      ->type_name("TIME");
  run.add_option("--checkpoint-wall", options.checkpoints.wall,
                 "save the run whenever so much time has passed: 30s, 10min, 2h")
      ->type_name("TIME");
  CLI::Option* resume =
      run.add_flag("--resume", options.resume, "go on from where the run was last saved");
  run.add_flag("--force", options.force, "overwrite an existing run")->excludes(resume);
  run.add_flag("--ignore-memory", options.ignores_memory,
               "run also what is expected to take more memory than there is");
  run.add_flag("--json", options.json, "print the run's summary as JSON");
  run.add_flag("--quiet", options.quiet, "no progress and no table");

  std::string made = "model.yaml", kind = command::kinds_of_models().front();
  CLI::App& fresh = *app.add_subcommand("new", "make a commented model to start from");
  fresh.add_option("file", made, "the file to make (default: model.yaml); - is standard output")
      ->type_name("FILE.yaml");
  command::Choices<std::string> kinds;
  for (const std::string& each : command::kinds_of_models()) kinds.emplace_back(each, each);
  command::add_choice(fresh, "--kind", kind, kinds,
                      "cells: a network of cells with a soma and a dendrite (the default); points: "
                      "a network of point neurons; morphology: one cell from an SWC file");

  command::ImportOptions imported;
  CLI::App& import = *app.add_subcommand(
      "import", "write a SONATA circuit as a model file, to see what it became");
  import.add_option("config", imported.config, "the configuration of a simulation")
      ->required()
      ->type_name("FILE.json");
  import
      .add_option("-o,--output", imported.output,
                  "the model file (default: model.yaml); its data files lie in a folder beside it")
      ->type_name("FILE.yaml");
  import.add_flag("--force", imported.force, "overwrite what is there");

  command::ExportOptions exported;
  CLI::App& exporting = *app.add_subcommand(
      "export", "write what a model becomes as a SONATA circuit: nodes, edges, their places");
  add_model_arguments(exporting, exported.model);
  exporting.add_option("-o,--output", exported.output, "the folder (default: <model>.circuit)")
      ->type_name("DIR");
  exporting.add_flag("--force", exported.force, "overwrite a circuit that is there");

  command::Shell shell = command::Shell::bash;
  CLI::App& completion =
      *app.add_subcommand("completion", "print a script that completes hillock's words in a shell");
  command::add_choice<command::Shell, command::Shell>(completion, "shell", shell,
                                                      {{"bash", command::Shell::bash},
                                                       {"zsh", command::Shell::zsh},
                                                       {"fish", command::Shell::fish}},
                                                      "source <(hillock completion bash)")
      .required();
  command::ViewOptions viewed;
  CLI::App& view = *app.add_subcommand("view", "write one HTML page that shows a model");
  add_model_arguments(view, viewed.model);
  view.add_option("-o,--output", viewed.output, "the page (default: <model>.html)");

  command::ReportOptions reported;
  CLI::App& report = *app.add_subcommand("report", "write one HTML page that shows a run");
  report.add_option("directory", reported.directory, "the run's output directory")
      ->required()
      ->type_name("DIR");
  report.add_option("-o,--output", reported.output, "the page (default: report.html in there)")
      ->type_name("FILE");

  CLI::App& bench = *app.add_subcommand(
      "bench", "measure this machine: hillock bench solvers [--quick] [--list] ...");
  bench.prefix_command();  // all that follows is for hillock-bench, --help too
  bench.set_help_flag();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (print_what_was_asked(app, error)) return command::success;
    command::report("hillock: {}\n", explain(app, error));
    return command::usage;
  }
  if (bench.parsed()) return guarded_alone([&] { command::become_bench(bench.remaining()); });
  command::watch_stop_signals();
  if (validate.parsed()) {
    return guarded_alone([&] {
      command::take_standard_input(validated);
      command::ProgressLine progress(command::current_activity(),
                                     command::ProgressLine::Shown::yes);
      const command::LoadedModel model =
          command::load_model(validated, command::OwnMechanisms::checked, command::Use::run);
      progress.finish();
      for (const auto& warning : model.warnings) command::report("{}\n", to_string(warning));
      command::print_folded("{}: valid\n", validated.file);
    });
  }
  if (info.parsed()) {
    return guarded_alone([&] {
      if (info_ranks && (told_of || !branches_of.empty()))
        throw UsageError(
            "--ranks tells of the CPU, and goes with neither --backend nor --branches");
      if (is_timed && (info_ranks || !branches_of.empty()))
        throw UsageError("--time goes with neither --ranks nor --branches");
      command::take_standard_input(described);
      if (is_timed)
        command::print_time(described, told_of.value_or(simulator::BackendWish::automatic),
                            info_threads, info_as_json);
      else if (info_ranks)
        command::print_ranks(described, *info_ranks, info_as_json);
      else if (branches_of.empty())
        command::print_info(described, told_of, info_as_json);
      else
        command::print_branches(described, branches_of);
    });
  }
  if (import.parsed()) return guarded_alone([&] { command::import_model(imported); });
  if (exporting.parsed()) return guarded_alone([&] { command::export_model(exported); });
  if (fresh.parsed()) return guarded_alone([&] { command::make_model(made, kind); });
  if (completion.parsed()) {
    return guarded_alone([&] {
      command::print("{}", command::completion_script(
                               app, shell, {{"MECHANISM", command::names_of_mechanisms()}}));
    });
  }
  if (view.parsed())
    return guarded_alone([&] {
      command::take_standard_input(viewed.model);
      command::write_view(viewed);
    });
  if (report.parsed()) return guarded_alone([&] { command::write_report(reported); });
  if (build.parsed()) return guarded_alone([&] { command::build_mechanisms(built); });
  if (list.parsed()) return guarded_alone([&] { command::list_mechanisms(listed); });
  if (show.parsed()) return guarded_alone([&] { command::show_mechanism(shown); });
  if (check.parsed()) {
    command::CheckOutcome outcome = command::CheckOutcome::good;
    const int code = guarded_alone([&] { outcome = command::check_mechanisms(checked); });
    if (code != command::success) return code;
    if (outcome == command::CheckOutcome::unreadable) return command::input_output;
    return outcome == command::CheckOutcome::errors ? command::invalid : command::success;
  }
  for (const CLI::Option* option : run.get_options())
    if (option->count() > 0)
      options.as_given[option->get_name()] = fmt::format("{}", fmt::join(option->results(), " "));
  return run_on_ranks(options);
}

}  // namespace

int main(int argc, char** argv) {
  guard_standard_streams();
  command::let_one_rank_speak();
  int code = run_command(argc, argv);
  // What was stopped while it said how it went was stopped.
  if (code == command::success && command::has_lost_words()) code = 128 + command::stop_signal();
  try {
    finish_standard_output(output_error);
  } catch (const InputOutputError& error) {
    command::report("hillock: {}\n", error.what());
    return code == command::success ? command::input_output : code;
  }
  return code;
}
