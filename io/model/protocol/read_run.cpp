// Reads `run:`: times, seed, temperature, integrator, solver, precision, placement,
// propagation.

#include <fmt/format.h>

#include <cmath>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/time_grid.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

constexpr double most_steps = 1e10;
constexpr double most_steps_of_a_clock = 1e8;  // each has 8 bytes
constexpr std::int64_t largest_seed = std::int64_t{1} << 53;

/// auto, a way, or a list of ways that take turns.
std::optional<std::vector<std::string>> read_propagation(const Item& item) {
  std::vector<std::string> ways{"neurons", "synapses", "spikes", "spike_blocks", "queue"};
  if (!item.is_list()) {
    ways.insert(ways.begin(), "auto");
    const auto one = item.choice(ways);
    if (!one) return std::nullopt;
    return *one == 0 ? std::vector<std::string>() : std::vector{ways[*one]};
  }
  const auto items = item.list("a list of ways");
  if (items->empty()) item.error("must not be empty");
  std::vector<std::string> turns;
  for (const Item& turn : *items)
    if (const auto way = turn.choice(ways)) turns.push_back(ways[*way]);
  if (turns.empty() || turns.size() < items->size()) return std::nullopt;
  return turns;
}

/// Whether it names a solver of batches, which runs could once be asked to use.
bool is_of_batches(const Item& item) {
  const std::string& word = item.node().scalar;
  return item.is_scalar() && (word == "thomas" || word == "branch" || word == "stone");
}

/// {step: 0, at: 0 ms}
std::optional<models::Clock> read_clock(const Item& item) {
  MapReader map(item, "a clock");
  if (!map.is_map()) return std::nullopt;
  const auto step = map.require("step");
  const auto at = map.require("at");
  ValueReader read(map.finish());
  std::uint64_t begins = 0;
  models::Clock clock;
  read.whole_number(step, 0, static_cast<std::int64_t>(most_steps), begins);
  read.constant(at, Slot::of("ms").at_least(0), clock.at_ms);
  clock.step = static_cast<std::int64_t>(begins);
  return read.good() ? std::optional(clock) : std::nullopt;
}

}  // namespace

std::int64_t nearest_step(double time_ms, double dt_ms) {
  return static_cast<std::int64_t>(std::llround(time_ms / dt_ms));
}

bool is_whole_steps(double time_ms, double dt_ms) {
  if (!(std::abs(time_ms / dt_ms) < 1e15)) return false;
  const double whole = static_cast<double>(nearest_step(time_ms, dt_ms)) * dt_ms;
  return std::abs(whole - time_ms) <= 1e-9 * std::abs(time_ms);
}

std::string whole_steps_problem(double time_ms, double dt_ms) {
  if (is_whole_steps(time_ms, dt_ms)) return "";
  if (!(std::abs(time_ms / dt_ms) < 1e15))
    return fmt::format("{} is too long for steps of {}", show(time_ms, "ms"), show(dt_ms, "ms"));
  const std::int64_t steps = std::max<std::int64_t>(nearest_step(time_ms, dt_ms), 1);
  return fmt::format("{} is not a whole number of time steps (dt is {}; the nearest is {})",
                     show(time_ms, "ms"), show(dt_ms, "ms"),
                     show(static_cast<double>(steps) * dt_ms, "ms"));
}

void read_run(ReadContext& context, const Item& item) {
  models::Run& run = context.network.run;
  run.place = item.place();
  MapReader map(item, "run");
  const auto duration = map.require("duration");
  const auto dt = map.find("dt");
  const auto seed = map.find("seed");
  const auto temperature = map.find("temperature");
  const auto v_init = map.find("v_init");
  const auto integrator = map.find("integrator");
  const auto spike_time = map.find("spike_time");
  const auto solver = map.find("solver");
  const auto precision = map.find("precision");
  const auto propagation = map.find("propagation");
  const auto placement = map.find("placement");
  const auto constants = map.find("constants");
  const auto clock = map.find("clock");
  map.finish();

  ValueReader times(duration.has_value());
  const auto time = Slot::of("ms").more_than(0);
  times.constant(duration, time, run.duration_ms);
  times.constant(dt, time, run.dt_ms);
  context.dt = dt;
  ValueReader read;
  read.constant(temperature, Slot::of("degC").at_least(-50).at_most(150), run.temperature_degC);
  run.begins_at_rest = v_init && is_rest(*v_init);
  if (!run.begins_at_rest)
    read.constant(v_init, Slot::of("mV").at_least(-1000).at_most(1000), run.v_init_mV);
  read.whole_number(seed, 0, largest_seed, run.seed);
  if (integrator)
    read.take(integrator->choice({"backward_euler", "crank_nicolson"}), run.integrator);
  if (spike_time) read.take(spike_time->choice({"interpolated", "grid"}), run.spike_time);
  if (solver) {
    run.solver_place = solver->place();
    static const std::vector<std::string> words{"auto", "exact", "hines", "contraction"};
    if (is_of_batches(*solver))
      solver->error("solves batches of systems (hillock bench solvers), no runs: use auto");
    else if (const auto word = solver->choice(words))
      run.solver = words[*word];
  }
  if (propagation) read.take(read_propagation(*propagation), run.propagation);
  if (precision) read.take(precision->choice({"double", "mixed", "single"}), run.precision);
  if (placement) read.take(placement->choice({"cost", "blocks", "round_robin"}), run.placement);
  if (constants) read.take(constants->choice({"codata2018", "legacy"}), run.constants);
  if (clock) read.take(read_clock(*clock), run.clock);
  if (!times.good()) return;
  if (run.duration_ms / run.dt_ms > most_steps) {
    duration->error(fmt::format("{} is {:.3g} steps of {}; at most 1e10 are possible",
                                show(run.duration_ms, "ms"), run.duration_ms / run.dt_ms,
                                show(run.dt_ms, "ms")));
    return;
  }
  if (clock && run.duration_ms / run.dt_ms > most_steps_of_a_clock)
    clock->error("a run of more than 1e8 steps has none");
  const std::string problem = whole_steps_problem(run.duration_ms, run.dt_ms);
  if (!problem.empty()) {
    duration->error(problem);
    return;
  }
  run.steps = nearest_step(run.duration_ms, run.dt_ms);
  context.run_known = true;
}

}  // namespace hillock::io
