#include "simulator/command/run/trial.hpp"

#include <chrono>

#include "simulator/session/output_sink.hpp"
#include "simulator/session/pace.hpp"

namespace hillock::command {

namespace {

using TrialClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds warm_up{400};
constexpr std::chrono::milliseconds in_all{2000};

/// Ends a run from within.
struct EnoughIsKnown {};

struct Reached {
  TrialClock::time_point when;
  std::int64_t step = 0;
};

double seconds_between(const Reached& from, const Reached& to) {
  return std::chrono::duration<double>(to.when - from.when).count();
}

}  // namespace

Trial try_run(simulator::Simulation& simulation, const models::Run& run,
              const std::function<void(const simulator::Progress&)>& heard) {
  session::NoSink none;
  const Reached start{TrialClock::now(), 0};
  Reached warm = start, last = start;
  std::uint64_t spikes = 0;
  Trial trial;
  try {
    simulation.run(none, [&](const simulator::Progress& now) {
      heard(now);
      last = {TrialClock::now(), now.step};
      spikes = now.spikes;
      if (warm.step == 0) {
        if (last.when >= start.when + warm_up) warm = last;
      } else if (last.when >= start.when + in_all && last.step > warm.step &&
                 last.step < now.steps) {
        throw EnoughIsKnown();
      }
    });
    trial.is_whole = true;
    last = {TrialClock::now(), run.steps};
  } catch (const EnoughIsKnown&) {
  }
  trial.initialise_s = simulation.timings().initialise_s;
  trial.wall_s = seconds_between(start, last) - trial.initialise_s;
  trial.ms = static_cast<double>(last.step) * run.dt_ms;
  const std::int64_t measured = trial.is_whole ? run.steps : last.step - warm.step;
  const double measured_s = trial.is_whole ? trial.wall_s : seconds_between(warm, last);
  trial.measured_ms = static_cast<double>(measured) * run.dt_ms;
  trial.ms_per_s = trial.measured_ms / measured_s;
  trial.mean_rate_hz = session::mean_rate_hz(spikes, simulation.counts().spiking_cells(), trial.ms);
  const double left_ms = static_cast<double>(run.steps - last.step) * run.dt_ms;
  trial.estimated_run_s = trial.wall_s + left_ms / trial.ms_per_s;
  return trial;
}

}  // namespace hillock::command
