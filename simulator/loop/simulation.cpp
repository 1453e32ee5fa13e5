#include "simulator/loop/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/program/asker.hpp"
#include "core/state/state_walk.hpp"
#include "network/recent_spikes.hpp"
#include "simulator/loop/built_simulation.hpp"
#include "simulator/loop/collected_output.hpp"
#include "simulator/output/hand_over.hpp"
#include "simulator/plan/network/late_spikes.hpp"
#include "simulator/ranks/state_gather.hpp"
#include "simulator/threads/stopwatch.hpp"

namespace hillock::simulator {

/// A column of the run: network::Resumed::heard_ms, where it is given.
const std::string heard = "run/heard_ms";

struct Simulation::Impl : BuiltSimulation {
  Impl(const models::Network& model, const SimulationOptions& run_options)
      : BuiltSimulation(model, run_options),
        recent{plan.longest_delay_ms, longest_step_ms(network)} {}

  /// Sets what there is at t = 0, or goes to where a run was saved.
  void initialise(RunSink& sink, std::optional<State> from) {
    together([&] { start(sink); });
    if (from) {
      together([&] {
        const Stopwatch watch(timings.initialise_s, "initialise");
        if (has_a_part())
          from = deal_out_state(*ranks(), *placement, network, is_first() ? &*from : nullptr);
        restore(*from);
        from.reset();  // it may be as large as the network
      });
    }
    set_out();
  }

  void start(RunSink& sink) {
    const Stopwatch watch(timings.initialise_s, "initialise");
    options.activity->begin("initialising");
    open_sample_buffers(sink, -1, 0, *done);
    engine->start(done->result);
    engine->finish();
    if (runs_ahead()) untold = done->result.spikes;
  }

  void set_out() {
    join_gaps();
    launched = {first_step, first_step};
    options.activity->begin("running", static_cast<std::uint64_t>(network.run.steps));
    options.activity->reach(static_cast<std::uint64_t>(first_step));
  }

  void run(RunSink& sink, const std::function<void(const Progress&)>& progress,
           const Saving& saving, std::optional<State> from) {
    initialise(sink, std::move(from));
    HandOver to_sink(sink);
    go_on(sink, to_sink, progress, saving);
  }

  bool may_run_again() const {
    const auto is_current_or_potential = [](const models::Stimulus& stimulus) {
      return std::holds_alternative<models::CurrentClamp>(stimulus.kind) ||
             std::holds_alternative<models::VoltageClamp>(stimulus.kind) ||
             std::holds_alternative<std::shared_ptr<const models::Field>>(stimulus.kind);
    };
    const auto has_cable = [](const auto& population) { return !population->is_artificial; };
    return network.projections.empty() && network.points.empty() && plan.reports.empty() &&
           !plan.has_gap_junctions && !plan.wired && !ranks() && !options.guests &&
           !options.given_draws && !options.taping &&
           std::ranges::all_of(network.stimuli, is_current_or_potential) &&
           std::ranges::all_of(plan.populations, has_cable);
  }

  void run_again(RunSink& sink, const FieldFactors& factors,
                 const std::function<void(const Progress&)>& progress) {
    if (!may_run_again()) throw std::logic_error("what has run may not run again");
    if (!has_begun) {
      start(sink);
      engine->keep_beginning();
      first_spikes = done->result.spikes;
      has_begun = true;
    }
    engine->begin_again(factors);
    done->result.spikes = first_spikes;
    done->is_collected = false;
    set_out();
    HandOver to_sink(sink);
    go_on(sink, to_sink, progress, {});
  }

  void go_on(RunSink& sink, HandOver& to_sink, const std::function<void(const Progress&)>& progress,
             const Saving& saving) {
    if (ranks()) {
      run_epochs(sink, to_sink, progress, saving);
      if (tells_late()) exchange->receive();  // what was sent last, which nobody needs
      hand_over_rest(sink, to_sink);
      ranks()->finish_sends(network::Channel::spikes);
      network::agree(*ranks(), failure, options.together.tell);
      return;
    }
    try {
      run_epochs(sink, to_sink, progress, saving);
    } catch (...) {  // what was made before the failure is not lost
      hand_over_rest(sink, to_sink);
      throw;
    }
    hand_over_rest(sink, to_sink);
  }

  void begin(RunSink& sink, std::optional<State> from, const std::set<std::string>& own) {
    if (has_a_part()) throw std::logic_error("parts of a network do not run in parts of time");
    together([&] {
      start(sink);
      if (!from) return;
      take_own_columns(own, *from);
      restore(*from);
      begun_from = std::move(from);
    });
    set_out();
    part_sink = &sink;
    part_to_sink = std::make_unique<HandOver>(sink);
    hand_over_rest(sink, *part_to_sink);
  }

  void start_at(RunSink& sink, std::int64_t step, const std::function<void(State&)>& change) {
    if (!part_sink) throw std::logic_error("what has not begun starts nowhere");
    together([&] {
      State state = state_at(step, 0);
      change(state);
      restore(state);
      begun_from = std::move(state);
    });
    set_out();
    part_sink = &sink;
    part_to_sink = std::make_unique<HandOver>(sink);
  }

  /// Puts the network's numbers of t = 0 into a state.
  void take_own_columns(const std::set<std::string>& names, State& to) {
    if (names.empty()) return;
    const State started = engine->save();
    for (const auto& [population, some] : started.of_cells())
      for (const auto& [name, column] : some.columns)
        if (names.contains(name)) to.of(population).columns[name] = column;
  }

  State save_part() {
    if (begun_from) return *begun_from;  // until it goes on, it lacks spikes that are on their way
    return state_at(launched.last, output.spike_count);
  }

  void advance(std::int64_t step, const std::function<void(const Progress&)>& progress) {
    if (!part_sink || step < launched.last || step > network.run.steps)
      throw std::logic_error("a run goes on from where it is, until its end");
    if (step > launched.last) begun_from.reset();
    part_ends = step;
    Saving saving;
    saving.keep = [](State, std::int64_t) {};  // so that a part's end can be saved
    go_on(*part_sink, *part_to_sink, progress, saving);
    if (outside()) heard_early = exchange_spikes({step, step, false, step}, saving);
  }

  /// Of several ranks all go through it in step, whatever fails on one of them: in the next epoch
  /// they hear of it, and all return.
  void run_epochs(RunSink& sink, HandOver& to_sink,
                  const std::function<void(const Progress&)>& progress, const Saving& saving) {
    const std::int64_t steps = part_ends.value_or(network.run.steps);
    unsigned under_way = 0;                // epochs that were launched
    if (!resumed.empty() && !outside()) {  // all ranks' that may still be on their way
      exchange->send(resumed, {});
      const auto spikes = exchange->receive().spikes;
      resumed = {spikes.begin(), spikes.end()};
    }
    if (tells_late()) exchange->send({}, {});
    while (launched.last < steps) {
      launched = epoch_from(launched.last, saving);
      const network::Exchange::Received heard = exchange_spikes(launched, saving);
      if (heard.said.failures > 0) return;
      launched.is_saved = is_saved(launched, heard.said, saving);
      const auto pass_on = [&] {
        collect();
        if (heard.said.outputs > 0) hand_over(sink, to_sink);
      };
      if (engine->traits().launch_waits) pass_on();  // so that it is written meanwhile
      attempt([&] {
        const Stopwatch watch(timings.advance_s, "advance");
        Made& made = under_way == 0 ? *next : *after_next;
        open_sample_buffers(sink, launched.first, launched.last, made);
        engine->launch(launched, resumed.empty() ? heard.spikes : resumed, made.result);
        resumed.clear();
      });
      join_gaps();
      if (plan.states_follow_gaps) follow_gaps();
      const bool is_ahead = runs_ahead() && !launched.is_saved && launched.last < steps;
      if (!engine->traits().launch_waits) pass_on();
      for (++under_way; under_way > (is_ahead ? 1U : 0U); --under_way) finish_next();
      const std::int64_t reached = is_ahead ? launched.first : launched.last;
      if (launched.is_saved && !part_ends) save(sink, to_sink, launched.last, saving);
      attempt([&] {
        options.activity->reach(static_cast<std::uint64_t>(reached));
        progress(
            {reached, steps,
             output.spike_count + (done->is_collected ? 0 : output.count_of(done->result.spikes))});
      });
    }
  }

  /// The rest of a step, when the values of gap junctions at its end are where they are read.
  void follow_gaps() {
    attempt([&] {
      const Stopwatch watch(timings.advance_s, "advance");
      engine->follow_gaps();
    });
    if (plan.gaps_carry_variables) join_gaps();
  }

  /// Waits for the epoch after `done`, which then is that one.
  void finish_next() {
    collect();
    attempt([&] {
      const Stopwatch watch(timings.advance_s, "advance");
      engine->finish();
      std::swap(done, next);
      if (runs_ahead()) std::swap(next, after_next);
      if (runs_ahead())
        untold.insert(untold.end(), done->result.spikes.begin(), done->result.spikes.end());
    });
  }

  /// What fails on one of several ranks is told to the others; until then it does no more.
  template <class Body>
  void attempt(const Body& body) {
    if (!ranks()) return body();
    if (!failure) succeeds(body);
  }

  /// The first failure is the one to tell of.
  template <class Body>
  bool succeeds(const Body& body) {
    try {
      body();
      return true;
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return false;
    }
  }

  /// Whether what is sent is received an epoch later.
  bool tells_late() const { return counts.overlaps && !runs_ahead(); }
  /// Spikes of this rank that the others have not been told of.
  const network::SpikeLists& news() const { return runs_ahead() ? untold : done->result.spikes; }

  /// Tells the other ranks of this one's spikes, and hears of theirs; tells_late(): of those of the
  /// epoch before.
  network::Exchange::Received exchange_spikes(const Epoch& epoch, const Saving& saving) {
    const Stopwatch watch(timings.exchange_s, "exchange");
    if (heard_early) return *std::exchange(heard_early, std::nullopt);
    if (saving.keep && !outside()) recent.add(news(), time_ms(epoch.first));
    const bool has_block = output.has_block(*done, ranks() ? ranks()->count() : 1, bytes_by_cell());
    const network::Said said{failure ? 1U : 0U, has_block ? 1U : 0U,
                             saving.keep && saving.is_wanted && saving.is_wanted() ? 1U : 0U, 0};
    network::Exchange::Received heard;
    if (tells_late()) heard = exchange->receive();
    exchange->send(news(), said);
    std::swap(told, untold);  // what was sent stays while the epoch is launched
    untold.clear();
    if (!tells_late()) heard = exchange->receive();
    if (saving.keep && outside()) recent.add(heard.spikes, time_ms(epoch.first));
    return heard;
  }

  double time_ms(std::int64_t step) const { return static_cast<double>(step) * network.run.dt_ms; }

  /// The epoch that begins there: to the next multiple of its length, or to where it is saved.
  Epoch epoch_from(std::int64_t first, const Saving& saving) const {
    Epoch epoch{first, end_of_epoch(first, saving), false, 0};
    epoch.next_last = end_of_epoch(epoch.last, saving);
    return epoch;
  }
  bool is_saved(const Epoch& epoch, const network::Said& said, const Saving& saving) const {
    if (epoch.last == part_ends) return true;
    if (!saving.keep || epoch.last >= network.run.steps) return false;
    return said.saves > 0 || (saving.every_steps > 0 && epoch.last % saving.every_steps == 0);
  }
  std::int64_t end_of_epoch(std::int64_t first, const Saving& saving) const {
    const std::int64_t length = counts.epoch_steps;
    const std::int64_t end =
        std::min((first / length + 1) * length, part_ends.value_or(network.run.steps));
    if (!saving.keep || saving.every_steps <= 0) return end;
    return std::min(end, (first / saving.every_steps + 1) * saving.every_steps);
  }

  /// Makes room for the samples at steps in (after, last], which the engine writes all of.
  void open_sample_buffers(RunSink& sink, std::int64_t after, std::int64_t last, Made& made) {
    made.rows.resize(plan.reports.size());
    made.currents.resize(plan.reports.size());
    made.result.samples.resize(plan.reports.size());
    for (std::size_t r = 0; r < plan.reports.size(); ++r) {
      const Asker asker(Asked::record, "report", plan.reports[r].name);
      const SampleTimes& times = plan.run.samples[r];
      const std::int64_t first_sample = times.up_to(after);
      const std::size_t columns = engine_columns(r);
      const auto count = static_cast<std::size_t>(times.up_to(last) - first_sample);
      made.result.samples[r] = {room_for(sink, r, count * columns, made), columns, first_sample,
                                count};
    }
    made.is_collected = false;
    made.end_ms = time_ms(last);
  }

  /// Null where the report is of something else.
  PotentialSums* potential_of(std::size_t report) {
    const auto found = std::ranges::find(potentials, report, &PotentialSums::report);
    return found == potentials.end() ? nullptr : &*found;
  }

  bool is_summed_by_engine(const PotentialSums& potential) const {
    return engine->traits().sums_potentials && potential.plan().may_be_summed();
  }

  /// Numbers of a sample of a report, as the engine gives them.
  std::size_t engine_columns(std::size_t report) {
    const PotentialSums* const potential = potential_of(report);
    if (potential && is_summed_by_engine(*potential))
      return solver::sums_size(potential->contacts());
    return plan.reports[report].element_ids.size();
  }

  double* room_for(RunSink& sink, std::size_t report, std::size_t numbers, Made& made) {
    PotentialSums* const potential = potential_of(report);
    if (potential && !is_summed_by_engine(*potential)) {
      CurrentRows& currents = made.currents[report];
      if (currents.empty()) currents = potential->used_currents();
      currents.clear();  // which nobody copies into more room
      currents.resize(numbers);
      return currents.data();
    }
    std::vector<double>& rows = made.rows[report];
    if (rows.empty() && !potential)
      rows = gather ? gather->spare_rows(report) : sink.used_rows(report);
    rows.resize(numbers);
    return rows.data();
  }

  /// Of potentials of cells by themselves, with the last epoch's.
  std::size_t bytes_by_cell() const {
    std::size_t bytes = 0;
    for (const PotentialSums& potential : potentials)
      bytes += potential.bytes_by_cell(done->result.samples[potential.report()].rows);
    return bytes;
  }

  /// Adds what the last epoch made to what goes to the sink.
  void collect() {
    if (done->is_collected) return;
    const Stopwatch watch(timings.record_s, "record");
    for (PotentialSums& potential : potentials) {
      const std::size_t report = potential.report();
      if (is_summed_by_engine(potential))
        potential.add_sums(std::exchange(done->rows[report], {}));
      else
        potential.add(std::exchange(done->currents[report], {}), done->result.samples[report].rows,
                      options.threads);
    }
    output.add(*done, !runs_ahead());  // else what is still to be told is kept in `untold`
  }

  /// Brings what was collected to the sink, which is the first rank's.
  void hand_over(RunSink& sink, HandOver& to_sink) {
    const Stopwatch watch(timings.record_s, "record");
    Output all = output.take();
    for (PotentialSums& potential : potentials) {
      all.rows.resize(plan.reports.size());
      all.rows[potential.report()] = potential.take(options.threads);
    }
    if (gather)
      all = gather->join(std::move(all), output.until_ms,
                         [&](std::size_t r) { return sink.used_rows(r); });
    if (!is_first()) return;
    for (const PotentialSums& potential : potentials) {
      if (potential.plan().is_by_cell) continue;
      std::vector<double>& rows = all.rows[potential.report()];
      rows = PotentialSums::values_of(rows, potential.contacts());
    }
    // Of rows that take much there are those of two epochs at most: some are made while others are
    // written.
    const bool has_many_rows = all.bytes() - all.spike_bytes() > HandOver::block_bytes;
    with_sink([&] {
      to_sink.give(std::move(all));
      if (has_many_rows) to_sink.finish();
    });
  }

  void hand_over_rest(RunSink& sink, HandOver& to_sink) {
    collect();
    hand_over(sink, to_sink);
    const Stopwatch watch(timings.record_s, "record");
    with_sink([&] { to_sink.finish(); });
  }

  /// As attempt(), but also after a failure of something else than the sink: what was made before
  /// it is not lost.
  template <class Body>
  void with_sink(const Body& body) {
    if (!ranks()) return body();
    if (!sink_failed) sink_failed = !succeeds(body);
  }

  void save(RunSink& sink, HandOver& to_sink, std::int64_t step, const Saving& saving) {
    hand_over_rest(sink, to_sink);
    const std::uint64_t all_spikes = sum_of_all(output.spike_count);
    if (sum_of_all(failure ? 1 : 0) > 0) return;
    const Stopwatch watch(timings.save_s, "save");
    std::optional<State> state;
    attempt([&] { state = state_at(step, all_spikes); });
    if (has_a_part()) {
      if (sum_of_all(failure ? 1 : 0) > 0) return;
      attempt([&] { state = gather_state(*ranks(), &*state); });
    }
    attempt([&] { saving.keep(std::move(*state), step); });
  }

  /// Behind an epoch with is_saved.
  State state_at(std::int64_t step, std::uint64_t all_spikes) {
    State state = engine->save();
    StateWalk walk(state);
    for (PotentialSums& potential : potentials) potential.walk(walk, step);
    if (outside()) {  // what arrives here of their spikes is this rank's to keep
      const models::Population& elsewhere = network.populations[outside()->elsewhere.value];
      state.of(elsewhere.name).cells = CellIndices(0, 1, elsewhere.size);
    }
    recent.save(state, network, heard_early ? network::SpikeLists{} : news(), time_ms(step));
    state["run/step"].put_count(static_cast<std::uint64_t>(step));
    state["run/spikes"].put_count(all_spikes);
    return state;
  }

  void restore(const State& from) {
    StateReader state(from);
    first_step = static_cast<std::int64_t>(state["run/step"].take_count());
    const std::uint64_t spikes = state["run/spikes"].take_count();
    output.spike_count = is_first() ? spikes : 0;
    if (first_step < 0 || first_step >= network.run.steps)
      throw StateMismatch(
          fmt::format("it was saved at step {} of {}", first_step, network.run.steps));
    network::Resumed at{first_step};
    at.holds_gaps = from.of_run().contains(heard);  // somebody else has begun it
    if (at.holds_gaps) at.heard_ms = state[heard].take();
    engine->restore(state, at);
    StateWalk walk(state);
    for (PotentialSums& potential : potentials) potential.walk(walk, first_step);
    resumed = {network::RecentSpikes::restore(state, network)};
    recent.add(resumed, 0);
    done->result.spikes = {};
    untold = {};
    done->is_collected = true;
    state.finish();
  }

  Made all_made[3];
  /// Of the last epoch that has ended, of the one that runs, and of the one behind that.
  Made *done = &all_made[0], *next = &all_made[1], *after_next = &all_made[2];
  network::SpikeLists untold, told;          ///< where it runs ahead
  CollectedOutput output{network.relays()};  ///< of the epochs since the sink last got some
  std::int64_t first_step = 0;
  Epoch launched;                         ///< the last epoch that was
  std::optional<std::int64_t> part_ends;  ///< of a run in parts
  std::optional<State> begun_from;        ///< as long as it has not gone on
  RunSink* part_sink = nullptr;
  std::unique_ptr<HandOver> part_to_sink;
  network::RecentSpikes recent;  ///< of this rank's cells; kept where the run is saved
  network::SpikeLists resumed;   ///< for the first epoch of a resumed run
  /// What the first epoch of a run in parts would hear, where the others are heard once more at
  /// the end of the part before.
  std::optional<network::Exchange::Received> heard_early;
  bool has_begun = false;            ///< what is run again
  network::SpikeLists first_spikes;  ///< of its t = 0
  std::exception_ptr failure;        ///< of this one of several ranks
  bool sink_failed = false;          ///< of the first of several
};

Simulation::Simulation(const models::Network& network, const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(network, options)) {}
Simulation::~Simulation() = default;

const SimulationCounts& Simulation::counts() const {
  return impl_->counts;
}
DeviceReport Simulation::on_device() const {
  return impl_->engine->report().device;
}
const Timings& Simulation::timings() const {
  return impl_->timings;
}
const std::vector<models::ReportLayout>& Simulation::reports() const {
  return impl_->gather ? impl_->gather->reports() : impl_->own_reports();
}

void Simulation::run(RunSink& sink, const std::function<void(const Progress&)>& progress,
                     const Saving& saving) {
  impl_->run(sink, progress, saving, {});
}

void Simulation::resume(State state, RunSink& sink,
                        const std::function<void(const Progress&)>& progress,
                        const Saving& saving) {
  impl_->run(sink, progress, saving, std::move(state));
}

bool Simulation::may_run_again() const {
  return impl_->may_run_again();
}
void Simulation::run_again(RunSink& sink, const FieldFactors& factors,
                           const std::function<void(const Progress&)>& progress) {
  impl_->run_again(sink, factors, progress);
}
std::size_t Simulation::copies() const {
  return impl_->engine->copies();
}

void Simulation::begin(RunSink& sink, std::optional<State> from, const std::set<std::string>& own) {
  impl_->begin(sink, std::move(from), own);
}

void Simulation::start_at(RunSink& sink, std::int64_t step,
                          const std::function<void(State&)>& change) {
  impl_->start_at(sink, step, change);
}

void Simulation::advance(std::int64_t step, const std::function<void(const Progress&)>& progress) {
  impl_->advance(step, progress);
}

State Simulation::save() {
  return impl_->save_part();
}

std::uint64_t Simulation::rows_by(std::size_t report, std::int64_t step) const {
  const PotentialSums* const potential = impl_->potential_of(report);
  const SampleTimes& times = potential ? potential->plan().times : impl_->plan.run.samples[report];
  return static_cast<std::uint64_t>(times.up_to(step));
}

std::int64_t Simulation::step() const {
  return impl_->launched.last;
}

}  // namespace hillock::simulator
