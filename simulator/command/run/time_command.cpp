#include "simulator/command/run/time_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "core/text/counted.hpp"
#include "io/json/json.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/memory_check.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/run/trial.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/run_summary.hpp"

namespace hillock::command {

namespace {

struct SetUp {
  double read_s = 0;
  double build_s = 0;
  double initialise_s = 0;
  double all() const { return read_s + build_s + initialise_s; }
};

/// "0.52 ms", "41.8 s", "2:05" from two minutes on.
std::string duration_text(double seconds) {
  if (seconds >= 120) return clock_text(seconds);
  return seconds >= 1 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.3g} ms", 1e3 * seconds);
}

void print_words(const SetUp& set_up, const Trial& trial, double duration_ms,
                 const std::string& where) {
  const char* about = trial.is_whole ? "" : "about ";
  print_entry("in all", fmt::format("{}{} on {}", about,
                                    duration_text(set_up.all() + trial.estimated_run_s), where));
  print_entry("set-up",
              fmt::format("{}: reading {}, building {}, initialising {}",
                          duration_text(set_up.all()), duration_text(set_up.read_s),
                          duration_text(set_up.build_s), duration_text(set_up.initialise_s)));
  print_entry("run", fmt::format("{}{} for {:.10g} ms of biological time", about,
                                 duration_text(trial.estimated_run_s), duration_ms));
  print_entry("speed",
              fmt::format("{} (biological time by wall time): {} for a biological second",
                          speed_text(trial.ms_per_s), duration_text(1e3 / trial.ms_per_s)));
  if (trial.is_whole) {
    print_entry("tried", fmt::format("all of it; a cell spikes at {} in the mean",
                                     rate_text(trial.mean_rate_hz)));
    return;
  }
  print_entry("tried",
              fmt::format("the first {:.4g} ms, in {}; a cell spikes at {} in the mean. "
                          "Where activity changes later, so does the time",
                          trial.ms, duration_text(trial.wall_s), rate_text(trial.mean_rate_hz)));
}

io::Json to_json(const SetUp& set_up, const Trial& trial, double duration_ms) {
  return io::Json::object({{"estimated_s", set_up.all() + trial.estimated_run_s},
                           {"set_up_s", set_up.all()},
                           {"read_s", set_up.read_s},
                           {"build_s", set_up.build_s},
                           {"initialise_s", set_up.initialise_s},
                           {"run_s", trial.estimated_run_s},
                           {"duration_ms", duration_ms},
                           {"biological_ms_per_s", trial.ms_per_s},
                           {"s_per_biological_s", 1e3 / trial.ms_per_s},
                           {"tried_all", trial.is_whole},
                           {"tried_ms", trial.ms},
                           {"tried_s", trial.wall_s},
                           {"mean_rate_hz", trial.mean_rate_hz}});
}

}  // namespace

void print_time(const ModelOptions& options, simulator::BackendWish wish, int threads, bool json) {
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  current_activity().begin("looking for a GPU");
  simulator::BackendChoice backend = simulator::choose_backend(wish);
  const bool is_on_gpu = backend.backend == simulator::Backend::cuda;
  const auto reading = std::chrono::steady_clock::now();
  const LoadedModel model =
      load_model(options, OwnMechanisms::loaded, is_on_gpu ? Use::run_on_gpu : Use::run);
  SetUp set_up;
  set_up.read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - reading).count();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));

  simulator::SimulationOptions settings;
  settings.mechanisms = model.mechanisms;
  settings.threads = threads > 0 ? threads : available_threads();
  settings.activity = &current_activity();
  settings.announce = announce;
  simulator::RankLoadOptions load;
  load.threads = settings.threads;
  load.most_epoch_steps = settings.most_epoch_steps;
  refuse_what_cannot_fit(model, load, !is_on_gpu);
  const auto simulation = session::make_simulation(model.network, settings, wish, backend);
  if (is_on_gpu && backend.backend == simulator::Backend::cpu)
    report("backend cpu: {}\n", backend.why);
  progress.set_run(model.network.run.dt_ms, simulation->counts().spiking_cells());
  const auto heard = [&](const simulator::Progress& now) {
    throw_if_stopped();
    progress.set_spikes(now.spikes);
  };
  const Trial trial = try_run(*simulation, model.network.run, heard);
  progress.finish();
  set_up.build_s = simulation->timings().build_s;
  set_up.initialise_s = trial.initialise_s;

  const double duration_ms = static_cast<double>(model.network.run.steps) * model.network.run.dt_ms;
  const std::string cores = counted(static_cast<std::uint64_t>(settings.threads), "thread");
  if (!json)
    return print_words(set_up, trial, duration_ms, backend.device.empty() ? cores : backend.device);
  io::Json told = to_json(set_up, trial, duration_ms);
  told.add("threads", settings.threads);
  told.add("backend", backend.device.empty() ? "cpu" : "cuda");
  told.add("device", backend.device);
  print("{}", told.lines());
}

}  // namespace hillock::command
