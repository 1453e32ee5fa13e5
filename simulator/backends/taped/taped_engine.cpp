#include "simulator/backends/taped/taped_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/errors/errors.hpp"
#include "mechanisms/load/adjoint.hpp"
#include "mechanisms/load/loader.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::taped {

namespace {

using mechanisms::Mechanism;

/// Some cells, and what is on its way to them.
struct Range {
  Range(RangePlan made) : plan(std::move(made)), trains(plan.driven), inbox(take_inbox(plan)) {
    for (std::size_t t = 0; t < trains.size(); ++t) {
      trains[t].table += static_cast<std::uint32_t>(plan.projections.size());
      train_of[{trains[t].table, trains[t].cell}] = t;
    }
    arrived.assign(trains.size(), 0);
  }

  std::size_t table_count() const { return plan.projections.size() + plan.stimuli.size(); }
  bool is_of_trains(std::size_t table) const { return table >= plan.projections.size(); }
  std::size_t cell_of(std::uint32_t mechanism, std::uint32_t instance) const {
    const std::vector<std::uint32_t>& first = plan.points[mechanism].first;
    return static_cast<std::size_t>(std::ranges::upper_bound(first, instance) - first.begin()) - 1;
  }

  /// Puts the events of one source where their cells are.
  void hand_out(const network::Arrival& arrival, std::vector<std::vector<Event>>& events) {
    const network::FanInTable& table = inbox.table(arrival.table);
    const std::size_t block = plan.density_count() + table.mechanism;
    std::uint64_t source = table.first_source + arrival.source;
    for (std::uint32_t e = arrival.begin; e < arrival.begin + arrival.count; ++e) {
      const network::FanInEntry entry = table.connections[e];
      const std::size_t cell = cell_of(table.mechanism, entry.instance);
      if (is_of_trains(arrival.table) && e == arrival.begin)
        source = arrived[train_of.at({arrival.table, static_cast<std::uint32_t>(cell)})]++;
      events[cell].push_back({inbox.step_of(arrival), arrival.time_ms, entry.weight, block,
                              entry.instance - plan.points[table.mechanism].first[cell],
                              arrival.table, e, source});
    }
  }

  RangePlan plan;
  std::vector<network::DrivenCell> trains;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> train_of;  ///< [table, cell]
  std::vector<std::uint64_t> arrived;                                       ///< [train] events
  network::Inbox inbox;
  std::vector<network::CellSpike> spikes;  ///< of t = 0
  std::vector<std::unique_ptr<TapedCell>> cells;
};

class TheEngine final : public TapedEngine {
 public:
  TheEngine(NetworkPlan& plan, const EngineOptions& options)
      : run_(plan.run), threads_(options.threads) {
    refuse_if(plan.has_gap_junctions, "gap junctions");
    refuse_if(plan.wired != nullptr, "a wiring");
    refuse_if(plan.run.precision != models::Precision::full, "precision: mixed");
    refuse_if(plan.run.given_draws != nullptr, "draws that are given");
    for (std::size_t r = 0; r < plan.ranges.size(); ++r) {
      ranges_.push_back(std::make_unique<Range>(make_range(plan, r, *options.activity)));
      Range& range = *ranges_.back();
      const PopulationPlan& population = *range.plan.population;
      refuse_if(population.is_point_neuron, "point neurons: " + population.name);
      refuse_if(population.is_artificial, "artificial cells: " + population.name);
      begin(range, *options.beginner);
    }
    if (options.is_only_begun) return;
    if (options.make_batch) {
      make_batch(options);
      return;
    }
    make_cells(options);
    choose_kept(options.most_tape_bytes);
  }

  EngineTraits traits() const override { return {.launch_waits = true}; }
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
      ranges_[r]->inbox.start(run_.boundaries(), epoch_steps);
      for (begin::BegunCell& cell : begun_[r].cells) cell.number_columns(reports);
    }
  }
  void start(EpochResult& result) override {
    result.spikes.clear();
    epochs_.clear();
    if (batch_) batch_->start(result.samples);
    for (const auto& range : ranges_) {
      result.spikes.push_back(range->spikes);
      for (const auto& cell : range->cells) {
        cell->begin_epoch({}, result.samples);
        cell->sample_start();
      }
    }
  }
  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    if (batch_) {
      result.spikes = {batch_->advance(epoch, result.samples)};
      return;
    }
    epochs_.push_back(epoch);
    const network::SpikeLists arriving(spikes.begin(), spikes.end());  // may be the result's own
    result.spikes.clear();
    for (const auto& range : ranges_) {
      for (const auto& some : arriving) range->inbox.send(some);
      std::vector<std::vector<Event>> events(range->cells.size());
      for (const network::Arrival& arrival : range->inbox.take(epoch.first, epoch.last))
        range->hand_out(arrival, events);
      parallel_for(range->cells.size(), threads_, [&](std::size_t c) {
        range->cells[c]->begin_epoch(std::move(events[c]), result.samples);
        range->cells[c]->advance(epoch);
      });
      for (const auto& cell : range->cells) result.spikes.push_back(cell->take_spikes());
    }
  }
  void finish() override {}
  void exchange_gaps(const GapSwap&) override {}
  void follow_gaps() override {}
  State save() override { throw UsageError("a run that is derived is not saved"); }
  void restore(StateReader&, const network::Resumed&) override {
    throw UsageError("a run that is derived begins at 0 ms");
  }
  EngineReport report() const override { return {.groups = ranges_.size()}; }

  const std::vector<Begun>& begun() const override { return begun_; }
  std::vector<RangeDerivatives> undo(std::span<const SampleDerivatives> samples,
                                     std::span<const SpikeDerivative> spikes) override {
    std::vector<RangeDerivatives> all;
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
      RangeDerivatives& by = all.emplace_back();
      by.cells.resize(begun_[r].cells.size());
      for (const Connections& table : begun_[r].tables) {
        by.weights.emplace_back(table.weights.size(), 0.0);
        by.delays_ms.emplace_back(table.delays_ms.size(), 0.0);
      }
      for (const std::uint64_t events : ranges_[r]->arrived)
        by.arrivals_ms.emplace_back(events, 0.0);
    }
    if (batch_) {
      refuse_if(!spikes.empty(), "a loss of spikes' times on a GPU");
      std::vector<CellDerivatives> of_cells = batch_->undo(samples);
      auto next = of_cells.begin();
      for (RangeDerivatives& by : all)
        for (CellDerivatives& cell : by.cells) cell = std::move(*next++);
      return all;
    }
    std::vector<std::vector<SpikeDerivative>> of_cells(cells_.size());
    for (const SpikeDerivative& one : spikes)
      of_cells[cell_numbers_.at(one.spike.cell.value)].push_back(one);
    std::vector<std::vector<EventDerivative>> events(cells_.size());
    const auto begin = [&](std::size_t c) {
      cells_[c].cell->begin_undo(samples);
      for (const SpikeDerivative& one : of_cells[c])
        cells_[c].cell->add_by_spike(one.spike.time_ms, one.by_ms);
    };
    const auto end = [&](std::size_t c) {
      all[cells_[c].range].cells[cells_[c].number] = cells_[c].cell->end_undo();
    };
    const auto for_cells = [&](const std::function<void(std::size_t)>& body) {
      parallel_for(cells_.size(), threads_, body);
    };
    if (!are_connected_) {
      for_cells([&](std::size_t c) {
        begin(c);
        events[c] = cells_[c].cell->undo(0, run_.steps);
        end(c);
      });
      add_events(events, all);
      return all;
    }
    // What arrived in an epoch was sent before it.
    for_cells(begin);
    for (auto epoch = epochs_.rbegin(); epoch != epochs_.rend(); ++epoch) {
      for_cells(
          [&](std::size_t c) { events[c] = cells_[c].cell->undo(epoch->first, epoch->last); });
      add_events(events, all);
    }
    for_cells(end);
    return all;
  }
  TapeBounds tape_bounds() const override {
    if (batch_) return {batch_->bytes(), batch_->bytes()};
    std::size_t least = bytes_with(1);
    for (std::int64_t every = 2; every <= run_.steps; ++every)
      least = std::min(least, bytes_with(every));
    return {bytes_with(1), least};
  }
  const RunConstants& run() const override { return run_; }
  std::size_t tape_bytes() const override {
    std::size_t bytes = batch_ ? batch_->bytes() : 0;
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) bytes += cell->bytes();
    return bytes;
  }

 private:
  /// In one order, whoever undid them: to what they came by, and to the spikes that sent them.
  void add_events(const std::vector<std::vector<EventDerivative>>& events,
                  std::vector<RangeDerivatives>& all) {
    for (std::size_t c = 0; c < events.size(); ++c)
      for (const EventDerivative& one : events[c]) {
        const Event& event = one.event;
        const Range& range = *ranges_[cells_[c].range];
        RangeDerivatives& by = all[cells_[c].range];
        by.weights[event.table][event.connection] += one.by_weight;
        if (range.is_of_trains(event.table)) {
          const auto cell = static_cast<std::uint32_t>(cells_[c].number);
          by.arrivals_ms[range.train_of.at({event.table, cell})][event.source] += one.by_ms;
          continue;
        }
        by.delays_ms[event.table][event.connection] += one.by_ms;
        const double delay_ms =
            begun_[cells_[c].range].tables[event.table].delays_ms[event.connection];
        cells_[cell_numbers_.at(event.source)].cell->add_by_spike(event.time_ms - delay_ms,
                                                                  one.by_ms);
      }
  }

  void begin(Range& range, const begin::Beginner& beginner) {
    Begun& begun = begun_.emplace_back();
    begin_cells(range, begun, beginner);
    begun.projections = range.plan.projections.size();
    for (std::size_t t = 0; t < range.table_count(); ++t) {
      const network::FanInTable& table = range.inbox.table(t);
      Connections& made = begun.tables.emplace_back();
      made.projection = table.projection;
      for (std::uint64_t source = 0; source < table.source_count; ++source) {
        const network::FanIn::Entries entries = table.connections.of(source);
        for (std::uint32_t e = entries.begin; e < entries.end; ++e) {
          const network::FanInEntry entry = table.connections[e];
          made.sources.push_back(table.first_source + source);
          made.targets.push_back(
              begun.cells[range.cell_of(table.mechanism, entry.instance)].id.value);
          made.instances.push_back(entry.instance);
          made.weights.push_back(entry.weight);
          made.delays_ms.push_back(entry.delay_ms);
        }
      }
      are_connected_ = are_connected_ || (!range.is_of_trains(t) && !made.weights.empty());
    }
    begun.trains = range.trains;
    hold(begun);
  }

  /// A stretch of them by each thread.
  void begin_cells(Range& range, Begun& begun, const begin::Beginner& beginner) const {
    const std::size_t count = range.plan.cell_count();
    const std::size_t stretches = std::min(count, static_cast<std::size_t>(threads_));
    begun.cells.resize(count);
    std::vector<std::vector<network::CellSpike>> spikes(stretches);
    parallel_for(stretches, threads_, [&](std::size_t s) {
      const auto cells = beginner.of_cells(range.plan, run_, solver::RowOrder::by_level);
      for (std::size_t c = count * s / stretches; c < count * (s + 1) / stretches; ++c)
        begun.cells[c] = cells->begin(c, {}, spikes[s]);
    });
    for (const auto& some : spikes)
      range.spikes.insert(range.spikes.end(), some.begin(), some.end());
  }

  void hold(Begun& begun) const {
    begun.held["the run's steps"] = {run_.dt_ms, static_cast<double>(run_.steps),
                                     static_cast<double>(run_.integrator)};
    begun.held["the temperature"] = {run_.celsius};
    for (const SampleTimes& samples : run_.samples)
      for (const long long number : {samples.first, samples.every, samples.count})
        begun.held["what is recorded"].push_back(static_cast<double>(number));
    for (const begin::BegunCell& cell : begun.cells) {
      begun.held["where spikes are detected"].push_back(cell.detector_row);
      begun.held["what is drawn"].push_back(static_cast<double>(cell.population->seed));
      for (const begin::BegunBlock& block : cell.blocks)
        for (const double area : block.area_factors)
          begun.held["areas of compartments"].push_back(area);
      for (const begin::BegunIon& ion : cell.ions)
        for (const auto& [row, factor_mV] : ion.nernst_mV)
          begun.held["the temperature"].push_back(factor_mV);
    }
  }

  /// Of all mechanisms that there are. used: gets these.
  std::map<const Mechanism*, const Mechanism*> make_adjoints(const EngineOptions& options,
                                                             std::vector<const Mechanism*>& used) {
    std::map<const Mechanism*, const Mechanism*> adjoints;
    for (const Begun& begun : begun_)
      for (const begin::BegunCell& cell : begun.cells)
        for (const begin::BegunBlock& block : cell.blocks) {
          const auto [its, is_new] = adjoints.try_emplace(block.mechanism, nullptr);
          if (!is_new) continue;
          used.push_back(block.mechanism);
          adjoints_.push_back(mechanisms::adjoint_of(*block.mechanism, options.announce));
          its->second = adjoints_.back().get();
        }
    return adjoints;
  }

  void make_batch(const EngineOptions& options) {
    BatchOfCells batch{{}, {}, run_, options.most_tape_bytes, threads_, options.announce};
    std::vector<const Mechanism*> used;
    const auto adjoints = make_adjoints(options, used);
    for (const Begun& begun : begun_) {
      for (const Connections& table : begun.tables)
        refuse_if(!table.weights.empty(), "events of connections or trains on a GPU");
      for (const begin::BegunCell& cell : begun.cells) {
        refuse_what_is_not_derived(cell);
        batch.cells.push_back(&cell);
        Adjoints& its = batch.adjoints.emplace_back();
        for (const begin::BegunBlock& block : cell.blocks)
          its.push_back(adjoints.at(block.mechanism));
      }
    }
    batch_ = options.make_batch(batch);
  }

  void make_cells(const EngineOptions& options) {
    std::vector<const Mechanism*> loops;
    const auto adjoints = make_adjoints(options, loops);
    for (const auto& adjoint : adjoints_) loops.push_back(adjoint.get());
    mechanisms::make_ready(loops, 1, mechanisms::Arithmetic::of_doubles);
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      for (const begin::BegunCell& cell : begun_[r].cells) {
        Adjoints its;
        for (const begin::BegunBlock& block : cell.blocks)
          its.push_back(adjoints.at(block.mechanism));
        cell_numbers_[cell.id.value] = cells_.size();
        ranges_[r]->cells.push_back(make_cell(cell, run_, its));
        cells_.push_back({ranges_[r]->cells.back().get(), r, ranges_[r]->cells.size() - 1});
      }
  }

  /// Where of so many steps one is kept.
  std::size_t bytes_with(std::int64_t every) const {
    std::size_t step_bytes = 0, largest = 0, cells = 0;
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) {
        step_bytes += cell->record_bytes();
        largest = std::max(largest, cell->record_bytes());
        ++cells;
      }
    if (every == 1) return static_cast<std::size_t>(run_.steps) * step_bytes;
    const std::size_t at_once =
        are_connected_ ? step_bytes : largest * std::min<std::size_t>(cells, std::size_t(threads_));
    return static_cast<std::size_t>((run_.steps + every - 1) / every) * step_bytes +
           static_cast<std::size_t>(every) * at_once;
  }

  /// All steps where they fit, else as many as do.
  void choose_kept(std::size_t most) {
    std::int64_t every = 1;
    while (bytes_with(every) > most && every < run_.steps) ++every;
    if (bytes_with(every) > most) refuse_bytes(run_.steps, tape_bounds().least_bytes, most);
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) cell->keep_every(every);
  }

  const RunConstants& run_;
  int threads_;
  std::vector<std::shared_ptr<const Mechanism>> adjoints_;
  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<Begun> begun_;    ///< [range]
  bool are_connected_ = false;  ///< spikes of some cells reach cells
  struct OneCell {
    TapedCell* cell;
    std::size_t range, number;  ///< of its cells
  };
  std::vector<OneCell> cells_;
  std::unordered_map<std::uint64_t, std::size_t> cell_numbers_;  ///< [CellId] in cells_
  std::vector<Epoch> epochs_;                                    ///< that were run
  std::unique_ptr<TapedBatch> batch_;  ///< in place of cells by themselves
};

}  // namespace

void refuse_bytes(std::int64_t steps, std::size_t least, std::size_t most) {
  throw UsageError(fmt::format(
      "{} steps take at least {:.3g} MB to be gone back over, and at most {:.3g} are given", steps,
      double(least) / 1e6, double(most) / 1e6));
}

std::unique_ptr<TapedEngine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<TheEngine>(plan, options);
}

}  // namespace hillock::simulator::taped
