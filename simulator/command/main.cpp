// The hillock command: reads arguments, and alone turns exceptions into messages and exit codes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/command_line.hpp"
#include "core/errors.hpp"
#include "core/standard_streams.hpp"
#include "simulator/command/bench_command.hpp"
#include "simulator/command/current_activity.hpp"
#include "simulator/command/exit_code.hpp"
#include "simulator/command/info_command.hpp"
#include "simulator/command/mech_command.hpp"
#include "simulator/command/progress_line.hpp"
#include "simulator/command/rank.hpp"
#include "simulator/command/rank_table.hpp"
#include "simulator/command/report.hpp"
#include "simulator/command/report_command.hpp"
#include "simulator/command/run_command.hpp"
#include "simulator/command/stop_signal.hpp"

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
  command.add_option("model", model.file, "the model file (YAML)")->required();
  command.add_option("--set", model.overrides, "replace a value: KEY=VALUE, run.duration=1s")
      ->allow_extra_args(false);  // one value each, so that the model may follow
}

/// Which backends there are, by the words for them.
const std::map<std::string, simulator::BackendWish> backends{
    {"auto", simulator::BackendWish::automatic},
    {"cpu", simulator::BackendWish::cpu},
    {"cuda", simulator::BackendWish::cuda}};

template <class Wish>
void add_backend_option(CLI::App& command, Wish& wish, const char* help) {
  const auto check = [](const std::string& word) {
    std::vector<std::string> known;
    for (const auto& [name, backend] : backends) known.push_back(name);
    if (word == "gpu") return std::string("NVIDIA GPUs are called 'cuda'");
    return unless_among(word, known);
  };
  command
      .add_option_function<std::string>(
          "--backend", [&wish](const std::string& word) { wish = backends.at(word); }, help)
      ->check(check);
}

int report_failure() {
  const network::ToldFailure told = command::tell(std::current_exception());
  if (told.exit_code > 128 && command::stop_signal() != 0) {
    command::report_interruption(command::stop_signal());
    return told.exit_code;
  }
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
int run_on_ranks(const command::RunOptions& options) {
  network::Ranks* ranks = nullptr;
  bool are_agreed = false;  // what fails on one fails on all
  const int code = guarded([&] {
    ranks = command::join_ranks();
    try {
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
  CLI::App& info = *app.add_subcommand("info", "show what a model comes to, without running it");
  add_model_arguments(info, described);
  info.add_option("--branches", branches_of, "print this cell's branches and areas as JSON");
  std::optional<simulator::BackendWish> told_of;
  add_backend_option(info, told_of,
                     "what the model comes to there: cpu (the default), cuda, or auto: where a run "
                     "takes");
  info.add_flag("--json", info_as_json, "print JSON");
  std::optional<int> info_ranks;
  info.add_option("--ranks", info_ranks,
                  "what each of so many ranks would have, without building the network")
      ->check(CLI::Range(1, 1'000'000));

  CLI::App& mech = *app.add_subcommand("mech", "mechanisms: the built-in ones, and NMODL files");
  mech.require_subcommand(1);
  std::vector<std::string> checked;
  CLI::App& check = *mech.add_subcommand("check", "check .mod files and report every error");
  check.add_option("paths", checked, ".mod files, or folders that hold them")->required();

  std::vector<std::string> built;
  CLI::App& build = *mech.add_subcommand("build", "compile .mod files into the cache");
  build.add_option("paths", built, ".mod files, or folders that hold them")->required();

  CLI::App& list = *mech.add_subcommand("list", "the built-in mechanisms");
  std::string shown;
  CLI::App& show = *mech.add_subcommand("show", "a built-in mechanism's variables");
  show.add_option("name", shown, "its name")->required();

  command::RunOptions options;
  CLI::App& run = *app.add_subcommand("run", "simulate a model");
  add_model_arguments(run, options.model);
  run.add_option("-o,--output", options.output, "output directory (default: <model>.out)");
  add_backend_option(run, options.backend,
                     "auto: a GPU where there is one that can be used, else the CPU (the default); "
                     "cpu; cuda: an NVIDIA GPU");
  run.add_option("--threads", options.threads, "threads (default: one a core)")
      ->check(CLI::Range(1, 4096));
  run.add_option("--epoch-steps", options.most_epoch_steps,
                 "the most steps between exchanges of spikes; results do not depend on it")
      ->check(CLI::Range(1, 400));
  const std::map<std::string, network::ExchangeKind> exchanges{
      {"auto", network::ExchangeKind::automatic},
      {"all", network::ExchangeKind::all},
      {"neighbours", network::ExchangeKind::neighbours}};
  run.add_option("--exchange", options.exchange,
                 "of several ranks, who gets spikes: auto, all, or neighbours (ranks with targets)")
      ->transform(CLI::CheckedTransformer(exchanges));
  const std::map<std::string, simulator::Overlap> overlaps{{"auto", simulator::Overlap::automatic},
                                                           {"on", simulator::Overlap::yes},
                                                           {"off", simulator::Overlap::no}};
  run.add_option("--overlap", options.overlap,
                 "of several ranks, whether spikes travel while the next epoch runs: auto, on, off")
      ->transform(CLI::CheckedTransformer(overlaps));
  run.add_option("--flush-interval", options.flush_interval_s,
                 "seconds of output that a kill may lose")
      ->check(CLI::Range(0.01, 3600.0));
  run.add_option("--checkpoint-every", options.checkpoints.every,
                 "save the run whenever so much biological time has passed: 100ms");
  run.add_option("--checkpoint-wall", options.checkpoints.wall,
                 "save the run whenever so much time has passed: 30s, 10min, 2h");
  CLI::Option* resume =
      run.add_flag("--resume", options.resume, "go on from where the run was last saved");
  run.add_flag("--force", options.force, "overwrite an existing run")->excludes(resume);
  run.add_flag("--ignore-memory", options.ignores_memory,
               "run also what is expected to take more memory than there is");
  run.add_flag("--json", options.json, "print the run's summary as JSON");
  run.add_flag("--quiet", options.quiet, "no progress and no table");

  command::ReportOptions reported;
  CLI::App& report = *app.add_subcommand("report", "write one HTML page that shows a run");
  report.add_option("directory", reported.directory, "the run's output directory")->required();
  report.add_option("-o,--output", reported.output, "the page (default: report.html in there)");

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
      command::ProgressLine progress(command::current_activity(),
                                     command::ProgressLine::Shown::yes);
      const command::LoadedModel model =
          command::load_model(validated, command::OwnMechanisms::checked, command::Use::run);
      progress.finish();
      for (const auto& warning : model.warnings) command::report("{}\n", to_string(warning));
      command::print("{}: valid\n", validated.file);
    });
  }
  if (info.parsed()) {
    return guarded_alone([&] {
      if (info_ranks && (told_of || !branches_of.empty()))
        throw UsageError(
            "--ranks tells of the CPU, and goes with neither --backend nor --branches");
      if (info_ranks)
        command::print_ranks(described, *info_ranks, info_as_json);
      else if (branches_of.empty())
        command::print_info(described, told_of, info_as_json);
      else
        command::print_branches(described, branches_of);
    });
  }
  if (report.parsed()) return guarded_alone([&] { command::write_report(reported); });
  if (build.parsed()) return guarded_alone([&] { command::build_mechanisms(built); });
  if (list.parsed()) return guarded_alone([] { command::list_mechanisms(); });
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
  const int code = run_command(argc, argv);
  try {
    finish_standard_output(output_error);
  } catch (const InputOutputError& error) {
    command::report("hillock: {}\n", error.what());
    return code == command::success ? command::input_output : code;
  }
  return code;
}
