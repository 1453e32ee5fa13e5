#include "simulator/backends/cpu/cpu_engine.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/asker.hpp"
#include "core/program/trace.hpp"
#include "core/state/state_parts.hpp"
#include "simulator/backends/cpu/cells/cell_range.hpp"
#include "simulator/backends/cpu/points/point_range.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::simulator::cpu {

namespace {

/// Point neurons side by side: as many as leave something to do for every thread.
int points_side_by_side(std::uint64_t cells, int threads) {
  const auto wanted = static_cast<std::uint64_t>(threads);
  if (cells / 8 >= 2 * wanted || (wanted == 1 && cells > 4)) return 8;
  return cells / 4 >= wanted ? 4 : 1;
}

/// What decides how cells lie.
CellsAndThreads cells_and_threads(const NetworkPlan& plan, const EngineOptions& options) {
  CellsAndThreads of{.threads = std::max(options.threads, 1), .asked = options.side_by_side};
  of.mixed = plan.run.arithmetic() == mechanisms::Arithmetic::mixed;
  for (const RangePlan& range : plan.ranges)
    if (!range.population->is_point_neuron) of.cells += range.cell_count();
  return of;
}

/// What there is for threads beside ranges of their own.
struct WorkToShare {
  std::size_t groups = 0;    ///< about, each of which any thread may take; 0: ranges are enough
  bool shares_rows = false;  ///< of cells; else nobody waits for them
};

/// By the first cell of each range.
WorkToShare work_to_share(const NetworkPlan& plan, const CellsAndThreads& of) {
  WorkToShare found;
  if (!shares_cells(of) && plan.ranges.size() >= static_cast<std::size_t>(of.threads)) return found;
  for (const RangePlan& range : plan.ranges) {
    if (range.population->is_point_neuron || range.cell_count() == 0) continue;
    RangePlan first;
    first.population = range.population;
    first.indices = {range.indices.front()};
    first.kinds = plan.cells->kinds_of(*first.population, first.indices);
    const SideBySide chosen = side_by_side(first, of);
    found.groups += groups_of(*first.kinds.front(), range.cell_count(), chosen.most);
    found.shares_rows = found.shares_rows || (shares_cells(of) && chosen.parts > 1);
  }
  return found;
}

class CpuEngine final : public Engine {
 public:
  CpuEngine(NetworkPlan& plan, const EngineOptions& options)
      : CpuEngine(plan, options, work_to_share(plan, cells_and_threads(plan, options))) {}

  CpuEngine(NetworkPlan& plan, const EngineOptions& options, const WorkToShare& work)
      : options_(options),
        ranges_(plan.ranges.size()),
        works_(plan.ranges.size()),
        crew_(work_of_ranges(plan), options.threads, work.groups, work.shares_rows),
        buffers_(static_cast<std::size_t>(crew_.threads())),
        made_(buffers_.size()),
        gaps_(plan.gap_values),
        carries_variables_(plan.gaps_carry_variables),
        gap_values_(gaps_.size()),
        last_gap_values_(gaps_.size()),
        run_(plan.run) {
    const CellsAndThreads cells = cells_and_threads(plan, options);
    std::uint64_t all = 0;
    for (const RangePlan& range : plan.ranges) all += range.cell_count();
    for (std::size_t r = 0; Trace::is_on() && r < works_.size(); ++r) {
      const std::string& name = plan.ranges[r].population->name;
      works_[r] = {work_named("build " + name), work_named("deliver to " + name),
                   work_named("integrate " + name)};
    }
    crew_.work([&](std::size_t r) {
      const TracedWork traced(works_[r].build);
      if (options.threads > 1) take_thread_memory();
      const Asker asker(Asked::cells, "population", plan.ranges[r].population->name);
      RangePlan range = make_range(plan, r, *options.activity);
      if (range.population->is_point_neuron)
        ranges_[r] = std::make_unique<PointRange>(std::move(range), plan.run,
                                                  points_side_by_side(all, cells.threads));
      else
        ranges_[r] = std::make_unique<CellRange>(std::move(range), plan.run, cells,
                                                 buffers_[crew_.thread_of(r)]);
    });
    if (plan.wired) {
      wiring_.emplace(plan.wired->equations(), plan.run.dt_ms);
      wired_ = plan.wired;
    }
    number_gap_values();
    crew_.work([&](std::size_t r) { ranges_[r]->publish_gap_values(gap_values_); });
  }

  EngineTraits traits() const override { return {.launch_waits = true}; }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    crew_.work([&](std::size_t r) { ranges_[r]->prepare(epoch_steps, reports); });
  }

  void exchange_gaps(const GapSwap& swap) override {
    std::ranges::copy(swap(gaps_.leaving(std::span(gap_values_))),
                      gaps_.coming(std::span(gap_values_)).begin());
  }

  void start(EpochResult& result) override {
    result.spikes.resize(ranges_.size());
    std::swap(gap_values_, last_gap_values_);
    crew_.work([&](std::size_t r) {
      ranges_[r]->take_gap_values(last_gap_values_);
      ranges_[r]->start(result.spikes[r], result.samples);
      ranges_[r]->publish_gap_values(gap_values_);  // what INITIAL made
      options_.activity->add(1);
    });
    std::erase_if(result.spikes, [](const auto& some) { return some.empty(); });
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    std::swap(gap_values_, last_gap_values_);  // which some may still read
    result.spikes.resize(made_.size());
    for (std::size_t t = 0; t < made_.size(); ++t) {
      std::swap(result.spikes[t], made_[t].spikes);
      made_[t].spikes.clear();
    }
    if (run_.guests) {
      for (const auto& some : spikes)
        run_.guests->hear(run_.guests->host, some.data(), some.size());
      ask_guests(run_.guests->begin, epoch.first, false);
    }
    const bool holds_gaps = resumed_.holds_gaps_at(epoch.first);
    crew_.work_in_parts(
        [&](std::size_t r) {
          const TracedWork traced(works_[r].deliver);
          if (!holds_gaps) ranges_[r]->take_gap_values(last_gap_values_);
          ranges_[r]->receive(epoch, spikes);
          return ranges_[r]->group_count();
        },
        [&](std::size_t r, std::size_t group, std::size_t thread) {
          const TracedWork traced(works_[r].integrate);
          ranges_[r]->advance(group, epoch, made_[thread].spikes, result.samples, gap_values_);
        },
        [&](std::size_t r, std::size_t group) { return ranges_[r]->gang_of(group); });
    if (wiring_ || run_.guests) end_step(epoch.first);
    if (run_.guests) ask_guests(run_.guests->end, epoch.first, false);
    launched_ = {epoch.last, &result};
    for (std::size_t t = 0; t < made_.size(); ++t) std::swap(result.spikes[t], made_[t].spikes);
  }

  void follow_gaps() override {
    if (carries_variables_) std::swap(gap_values_, last_gap_values_);
    crew_.work([&](std::size_t r) {
      ranges_[r]->take_gap_values(carries_variables_ ? last_gap_values_ : gap_values_);
      ranges_[r]->follow_gaps(launched_.step, launched_.result->samples);
      if (carries_variables_) ranges_[r]->publish_gap_values(gap_values_);
    });
  }

  void finish() override {}  // launch() has waited

  State save() override {
    std::vector<State> parts(ranges_.size());
    crew_.work([&](std::size_t r) {
      ranges_[r]->take_gap_values(gap_values_);  // as the next step will
      StateWalk walk(parts[r]);
      ranges_[r]->walk(walk);
    });
    return joined(std::move(parts));
  }

  void restore(StateReader& state, const network::Resumed& at) override {
    resumed_ = at;
    StateWalk walk(state);
    for (const auto& range : ranges_) {
      range->walk(walk);
      range->resume_at(at);
      range->publish_gap_values(gap_values_);
    }
  }

  void keep_beginning() override {
    beginning_.resize(ranges_.size());
    crew_.work([&](std::size_t r) {
      StateWalk walk(beginning_[r]);
      ranges_[r]->walk(walk);
    });
  }

  void begin_again(const FieldFactors& factors) override {
    crew_.work([&](std::size_t r) {
      StateReader state(beginning_[r]);
      StateWalk walk(state);
      ranges_[r]->walk(walk);
      ranges_[r]->resume_at({});
      ranges_[r]->take_factors(factors);
    });
  }

  EngineReport report() const override {
    EngineReport report;
    for (const auto& range : ranges_) {
      report.groups += range->group_count();
      report.state_bytes += range->state_bytes();
      report.connection_bytes += range->connection_bytes();
      const auto of = range->side_by_side();
      if (of &&
          (report.side_by_side.empty() || report.side_by_side.back().population != of->population))
        report.side_by_side.push_back(*of);
    }
    return report;
  }

 private:
  void ask_guests(int (*ask)(void*, std::int64_t), std::int64_t step, bool is_solved) {
    crew_.work([&](std::size_t r) { ranges_[r]->tell_guests(is_solved); });
    if (ask(run_.guests->host, step) == 0)
      throw std::runtime_error("what the process computes of the model has ended with an error");
    crew_.work([&](std::size_t r) { ranges_[r]->hear_guests(); });
  }

  void solve_wiring(std::int64_t step) {
    wired_->find_sources(run_.middle_ms(step), wiring_->sources());
    crew_.work([&](std::size_t r) { ranges_[r]->tell(*wiring_); });
    if (const auto spoiled = wiring_->solve()) {
      const auto [population, cell] = wired_->cell_of(*spoiled);
      throw NumericalFailure({static_cast<double>(step + 1) * run_.dt_ms, population, cell, ""},
                             "what the wiring makes of it is not a finite number");
    }
  }

  /// What the wiring ties together is solved, guests go on, and so does the step of their cells.
  void end_step(std::int64_t step) {
    if (wiring_) solve_wiring(step);
    if (run_.guests) ask_guests(run_.guests->solve, step, true);
    std::vector<Made> made(ranges_.size());
    crew_.work([&](std::size_t r) {
      if (ranges_[r]->is_wired())
        ranges_[r]->end_step(wiring_ ? &*wiring_ : nullptr, made[r].spikes, gap_values_);
    });
    for (const Made& some : made)
      made_.front().spikes.insert(made_.front().spikes.end(), some.spikes.begin(),
                                  some.spikes.end());
  }

  /// What many ends read lies in one place, side by side with the rest that a group gives: cores
  /// that read it after others have written it wait for few lines of their caches.
  void number_gap_values() {
    std::vector<std::uint32_t> number_of(gaps_.own);
    std::uint32_t next = 0;
    for (const auto& range : ranges_) range->number_gap_values(next, number_of);
    for (const auto& range : ranges_) range->read_gap_values_by(number_of);
  }

  /// The spikes that one thread makes in an epoch, which has the memory of the result's meanwhile;
  /// the next thread's lie in another cache line.
  struct alignas(64) Made {
    std::vector<network::CellSpike> spikes;
  };

  /// The epoch that was launched last: where it ends, and what it gives.
  struct Launched {
    std::int64_t step = 0;
    EpochResult* result = nullptr;
  };

  /// What a trace tells of a range.
  struct Works {
    Work build = nullptr, deliver = nullptr, integrate = nullptr;
  };

  EngineOptions options_;
  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<Works> works_;  ///< [range]
  Crew crew_;
  std::vector<EventBuffers> buffers_;  ///< [thread] of its ranges
  std::vector<Made> made_;             ///< [thread]
  Launched launched_;
  const network::GapValues& gaps_;
  const bool carries_variables_;
  std::vector<double> gap_values_, last_gap_values_;  ///< of all junctions, now and a step before
  network::Resumed resumed_;
  std::vector<State> beginning_;  ///< [range] where it is to begin again
  std::optional<solver::Wiring> wiring_;
  std::shared_ptr<const WiredCells> wired_;
  const RunConstants& run_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<CpuEngine>(plan, options);
}

}  // namespace hillock::simulator::cpu
