#include "python/bindings/simulation.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/state/packed_state.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/backend_word.hpp"
#include "python/bindings/model_holder.hpp"
#include "python/bindings/ranks.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/loop/backend_choice.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/loop/solver_choice.hpp"
#include "simulator/session/run_record.hpp"
#include "simulator/session/run_summary.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

session::EarlyEnd end_of(const std::exception& failure) {
  const bool is_stopped = dynamic_cast<const simulator::Cancelled*>(&failure) != nullptr;
  return {is_stopped ? io::RunStatus::interrupted : io::RunStatus::failed, failure.what()};
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Changes = std::map<std::string, std::map<std::string, Numbers>>;
using Counts = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Whole columns: their numbers, and how many of them each cell has.
using Columns = std::map<std::string, std::map<std::string, std::pair<Numbers, Counts>>>;

/// Rows of numbers, ions, and addresses: of what computes guests, then of its hear, begin, solve
/// and end.
using GuestHolder = std::tuple<nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>,
                               std::vector<std::string>, std::array<std::uintptr_t, 5>>;

/// One simulation, all of whose work is done on one thread.
class LiveSimulation {
 public:
  LiveSimulation(ModelHolder model, const std::string& backend, int threads, int most_epoch_steps,
                 nb::callable look, bool saves_assigned, const std::optional<RanksHolder>& ranks,
                 const std::optional<OutsideHolder>& outside, std::optional<Numbers> draws,
                 std::optional<GuestHolder> guests)
      : model_(std::move(model)),
        look_(std::move(look)),
        saves_assigned_(saves_assigned),
        draws_(std::move(draws)),
        guest_numbers_(std::move(guests)) {
    if (guest_numbers_) take_guests(*guest_numbers_);
    if (draws_) given_draws_ = {draws_->data(), draws_->size()};
    if (ranks.has_value() != outside.has_value())
      throw UsageError("of several ranks each knows of the others, and one alone of none");
    if (ranks) ranks_ = ranks->joined;
    if (outside) outside_ = outside->outside;
    if (threads < 0 || threads > 4096) throw UsageError("threads must be from 1 to 4096");
    threads_ = threads > 0 ? threads : simulator::available_threads();
    work([&] {
      choice_ = simulator::choose_backend(wish_of(backend));
      build(wish_of(backend), most_epoch_steps);
    });
  }
  ~LiveSimulation() {
    const nb::gil_scoped_release others;
    simulation_.reset();
    worker_.reset();
  }
  LiveSimulation(const LiveSimulation&) = delete;
  LiveSimulation& operator=(const LiveSimulation&) = delete;

  void run() {
    work([&] {
      open_results();
      simulation_->run(*results_, note_progress());
      end();
    });
  }

  /// Into files alone, as the command writes them.
  void run_into(const std::string& directory, bool replace, double flush_interval_s) {
    work([&] {
      session::RunRecord record(directory, summary_,
                                replace ? io::ExistingRun::replace : io::ExistingRun::keep,
                                {[] {}, [](const std::string&) {}, end_of});
      record.begin();
      record.keep([&] {
        io::OutputOptions options;
        options.flush_interval_s = flush_interval_s;
        simulation_->run(record.open(network(), *simulation_, provenance_, options, nullptr),
                         note_progress());
        end();
        record.note([&](io::RunSummary& summary) { summary = summary_; });
        record.note_done(network(), *simulation_, false);
        record.complete();
      });
    });
  }

  /// state: what save() gave, to go on from. changes: {population: {column: numbers}} in it.
  /// own: names of columns that are the network's instead.
  void begin(const std::optional<nb::bytes>& state, const Changes& changes,
             const std::set<std::string>& own) {
    std::optional<State> from;
    if (state) from = unpack(std::as_bytes(std::span(state->c_str(), state->size())));
    if (from) apply(changes, *from);
    work([&] {
      if (from) reached_ = step_of(*from);
      open_results();
      simulation_->begin(*results_, std::move(from), own);
      reached_ = simulation_->step();
    });
  }

  /// After begin() of t = 0: the run is at `step` instead, with these columns in its state.
  /// heard_ms: network::Resumed.
  void start_at(std::int64_t step, const Columns& columns, double heard_ms) {
    check_sound();
    work([&] {
      reached_ = step;
      auto before = std::move(results_);  // until the other is there
      open_results();
      simulation_->start_at(*results_, step, [&](State& state) {
        put(columns, state);
        state["run/heard_ms"].put(heard_ms);
      });
    });
  }

  void advance(std::int64_t step) {
    check_sound();
    work([&] {
      simulation_->advance(step, note_progress());
      reached_ = simulation_->step();
      note_pace();
    });
  }

  nb::bytes save() {
    check_sound();
    std::vector<std::byte> bytes;
    work([&] { bytes = pack(simulation_->save()); });
    return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  /// (numbers, [cell] how many of them) of a column of a population, or, where there is none of
  /// that name, a list of those that there are. After a NumericalFailure as it left them.
  nb::object column_of(const std::string& population, const std::string& name) {
    if (!shows_failure_) check_sound();
    State state;
    work([&] { state = simulation_->save(); });
    const auto& columns = state.of(population).columns;
    const auto found = columns.find(name);
    if (found == columns.end()) {
      nb::list names;
      for (const auto& [known, column] : columns) names.append(known);
      return names;
    }
    return shown(found->second);
  }

  /// {population: {column: (numbers, [cell] how many of them)}}; equal numbers cannot be changed.
  nb::dict columns() {
    check_sound();
    State state;
    work([&] { state = simulation_->save(); });
    nb::dict all;
    for (const auto& [population, cells] : state.of_cells()) {
      nb::dict columns;
      for (const auto& [name, column] : cells.columns)
        columns[name.c_str()] =
            column.numbers.is_one()
                ? nb::make_tuple(array_of_one(column.numbers.one(), column.numbers.size()),
                                 counts_of(column))
                : shown(column);
      all[population.c_str()] = columns;
    }
    return all;
  }

  /// Throws UsageError where there is nothing to go on with.
  void check_sound() const {
    if (!is_sound_)
      throw UsageError(
          "the simulation was interrupted or failed, and cannot be gone on with: "
          "restore() what was saved before");
  }

  std::int64_t step() const { return reached_; }
  nb::dict spikes() const { return spikes_after(-std::numeric_limits<double>::infinity()); }
  nb::dict spikes_after(double time_ms) const {
    worker_->check_idle();
    return results_ ? results_->spikes_by_population(time_ms) : nb::dict();
  }
  /// What the model asks for and this run does not do.
  const std::vector<std::string>& notes() const { return notes_; }
  nb::list reports() const {
    worker_->check_idle();
    return results_ ? results_->reports() : nb::list();
  }

  /// The text that run.json would have.
  std::string summary() {
    worker_->check_idle();
    session::note_done(summary_, network(), *simulation_, false);
    summary_.spikes = results_ ? results_->spike_count() : 0;
    const bool is_done = reached_ == network().run.steps;
    summary_.status = is_done ? io::RunStatus::complete : io::RunStatus::running;
    return io::to_json(summary_);
  }

 private:
  const models::Network& network() const { return model_.network(); }

  void take_guests(const GuestHolder& holder) {
    const auto& [numbers, ions, addresses] = holder;
    using Step = int(void*, std::int64_t);
    using Hear = void(void*, const network::CellSpike*, std::size_t);
    guests_ = {.numbers = numbers.data(),
               .rows = numbers.shape(0),
               .ions = ions,
               .host = reinterpret_cast<void*>(addresses[0]),
               .hear = reinterpret_cast<Hear*>(addresses[1]),
               .begin = reinterpret_cast<Step*>(addresses[2]),
               .solve = reinterpret_cast<Step*>(addresses[3]),
               .end = reinterpret_cast<Step*>(addresses[4])};
    if (numbers.shape(1) != guests_.width()) throw UsageError("guests have rows of another width");
  }

  void build(simulator::BackendWish wish, int most_epoch_steps) {
    if (choice_.backend == simulator::Backend::cuda)
      simulator::check_solver_on_gpu(network().run);
    else
      simulator::check_solver_on_cpu(network().run);
    simulator::SimulationOptions options;
    options.mechanisms = model_.model->mechanisms;
    options.threads = threads_;
    options.saves_assigned = saves_assigned_;
    options.given_draws = draws_ ? &given_draws_ : nullptr;
    options.guests = guest_numbers_ ? &guests_ : nullptr;
    options.most_epoch_steps = most_epoch_steps;
    options.activity = &activity_;
    if (ranks_)
      options.together = {.ranks = ranks_->ranks.get(),
                          .tell = [&](const auto& failure) { return tell(failure); },
                          .outside = outside_.get()};
    simulation_ = session::make_simulation(network(), options, wish, choice_);
    provenance_ = session::provenance_of(network());
    summary_ = session::summary_of(*model_.model, model_.file, provenance_);
    summary_.threads = threads_;
    session::note_backend(summary_, choice_);
    notes_ = session::note_built(summary_, network(), *simulation_);
  }

  void open_results() {
    std::vector<std::uint64_t> first_rows;
    for (std::size_t r = 0; r < simulation_->reports().size(); ++r)
      first_rows.push_back(reached_ > 0 ? simulation_->rows_by(r, reached_) : 0);
    results_ = std::make_unique<Results>(network(), simulation_->reports(), first_rows);
  }

  std::function<void(const simulator::Progress&)> note_progress() {
    return [&](const simulator::Progress& now) { spikes_ = now.spikes; };
  }
  void end() {
    reached_ = network().run.steps;
    note_pace();
  }
  void note_pace() {
    session::note_pace(summary_, *simulation_, static_cast<double>(reached_) * network().run.dt_ms,
                       spikes_);
  }

  static nb::tuple shown(const CellColumn& column) {
    std::vector<double> numbers(column.numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = column.numbers[i];
    return nb::make_tuple(array_of(std::move(numbers)), counts_of(column));
  }

  static nb::object counts_of(const CellColumn& column) {
    std::vector<std::uint32_t> counts(column.counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = column.counts[i];
    return array_of(std::move(counts));
  }

  static OneOrMany numbers_of(const Numbers& from) {
    OneOrMany to;
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from(i));
    return to;
  }

  static void put(const Columns& columns, State& state) {
    for (const auto& [population, some] : columns)
      for (const auto& [name, column] : some) {
        CellColumn& to = state.of(population).columns[name];
        to.numbers = numbers_of(column.first);
        to.counts = {};
        for (std::size_t c = 0; c < column.second.size(); ++c)
          to.counts.push_back(column.second(c));
      }
  }

  static void apply(const Changes& changes, State& state) {
    for (const auto& [population, columns] : changes)
      for (const auto& [name, numbers] : columns) {
        CellColumn& column = state.of(population).columns.at(name);
        if (numbers.size() != column.numbers.size())
          throw UsageError("another number of values than " + population + " has");
        column.numbers = numbers_of(numbers);
      }
  }

  /// Of several ranks the others hear this of what failed here.
  network::ToldFailure tell(const std::exception_ptr& failure) {
    own_failure_ = failure;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return {1, error.what()};
    } catch (...) {
      return {1, "something unknown"};
    }
  }

  static std::int64_t step_of(const State& state) {
    StateReader reader(state);
    return static_cast<std::int64_t>(reader["run/step"].take_count());
  }

  template <class Job>
  void work(const Job& job) {
    const auto look = [&] {
      const simulator::Activity::Look now = activity_.look();
      look_(now.what, now.done, now.total, spikes_.load());
    };
    worker_->check_idle();
    try {
      worker_->do_job(activity_, job, look);
    } catch (const RankFailed&) {
      is_sound_ = false;
      if (own_failure_) std::rethrow_exception(own_failure_);
      throw;
    } catch (const NumericalFailure&) {
      is_sound_ = false;
      shows_failure_ = true;
      throw;
    } catch (...) {
      is_sound_ = false;
      throw;
    }
    look();
  }

  ModelHolder model_;
  nb::callable look_;
  bool saves_assigned_;
  std::shared_ptr<const simulator::Joined> ranks_;   ///< null: there are no others
  std::shared_ptr<const network::Outside> outside_;  ///< what it knows of them
  std::optional<Numbers> draws_;                     ///< what mechanisms draw
  mechanisms::GivenDraws given_draws_;
  std::optional<GuestHolder> guest_numbers_;  ///< of what the process computes
  simulator::Guests guests_;
  std::exception_ptr own_failure_;  ///< that the others were told of
  int threads_ = 1;
  simulator::Activity activity_;
  simulator::BackendChoice choice_;
  std::unique_ptr<Worker> worker_ = std::make_unique<Worker>();
  std::unique_ptr<simulator::Simulation> simulation_;
  std::unique_ptr<Results> results_;
  io::Provenance provenance_;
  io::RunSummary summary_;
  std::vector<std::string> notes_;
  std::atomic<std::uint64_t> spikes_ = 0;  ///< of all cells, recorded or not
  std::int64_t reached_ = 0;
  bool is_sound_ = true;  ///< nothing was thrown
  bool shows_failure_ = false;
};

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<LiveSimulation>(module, "Simulation")
      .def(nb::init<ModelHolder, const std::string&, int, int, nb::callable, bool,
                    const std::optional<RanksHolder>&, const std::optional<OutsideHolder>&,
                    std::optional<Numbers>, std::optional<GuestHolder>>(),
           "model"_a, "backend"_a, "threads"_a, "most_epoch_steps"_a, "look"_a,
           "saves_assigned"_a = false, "ranks"_a.none() = nb::none(),
           "outside"_a.none() = nb::none(), "draws"_a.none() = nb::none(),
           "guests"_a.none() = nb::none())
      .def("run", &LiveSimulation::run)
      .def("run_into", &LiveSimulation::run_into, "directory"_a, "replace"_a, "flush_interval_s"_a)
      .def("begin", &LiveSimulation::begin, "state"_a.none(), "changes"_a, "own"_a)
      .def("start_at", &LiveSimulation::start_at, "step"_a, "columns"_a, "heard_ms"_a)
      .def("advance", &LiveSimulation::advance, "step"_a)
      .def("check_sound", &LiveSimulation::check_sound)
      .def("save", &LiveSimulation::save)
      .def("column_of", &LiveSimulation::column_of, "population"_a, "name"_a)
      .def("columns", &LiveSimulation::columns)
      .def_prop_ro("step", &LiveSimulation::step)
      .def_prop_ro("spikes", &LiveSimulation::spikes)
      .def("spikes_after", &LiveSimulation::spikes_after, "time_ms"_a)
      .def_prop_ro("reports", &LiveSimulation::reports)
      .def_prop_ro("notes", &LiveSimulation::notes)
      .def("summary", &LiveSimulation::summary);
}

}  // namespace hillock::python
