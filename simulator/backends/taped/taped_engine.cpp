#include "simulator/backends/taped/taped_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
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
  Range(RangePlan made) : plan(std::move(made)), trains(plan.driven), inbox(take_inbox(plan)) {}

  /// Puts the events of one source where their cells are.
  void hand_out(const network::Arrival& arrival, std::vector<std::vector<Event>>& events) const {
    const network::FanInTable& table = inbox.table(arrival.table);
    const std::vector<std::uint32_t>& first = plan.points[table.mechanism].first;
    const std::size_t block = plan.density_count() + table.mechanism;
    for (std::uint32_t e = arrival.begin; e < arrival.begin + arrival.count; ++e) {
      const network::FanInEntry entry = table.connections[e];
      const auto after = std::ranges::upper_bound(first, entry.instance);
      const auto cell = static_cast<std::size_t>(after - first.begin()) - 1;
      events[cell].push_back({inbox.step_of(arrival), arrival.time_ms, entry.weight, block,
                              entry.instance - first[cell], arrival.table, e});
    }
  }

  RangePlan plan;
  std::vector<network::DrivenCell> trains;
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
    make_cells(options);
    choose_kept(options.most_tape_bytes);
  }

  EngineTraits traits() const override { return {.launch_waits = true}; }
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
      ranges_[r]->inbox.start(run_.dt_ms, epoch_steps);
      for (begin::BegunCell& cell : begun_[r].cells) cell.number_columns(reports);
    }
  }
  void start(EpochResult& result) override {
    result.spikes.clear();
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
  std::vector<std::vector<CellDerivatives>> undo(
      std::span<const SampleDerivatives> samples) override {
    std::vector<std::vector<CellDerivatives>> all;
    for (const auto& range : ranges_) {
      auto& of_range = all.emplace_back(range->cells.size());
      parallel_for(range->cells.size(), threads_,
                   [&](std::size_t c) { of_range[c] = range->cells[c]->undo(samples); });
    }
    return all;
  }
  std::size_t tape_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) bytes += cell->bytes();
    return bytes;
  }

 private:
  void begin(Range& range, const begin::Beginner& beginner) {
    for (std::size_t t = 0; t < range.plan.projections.size(); ++t)
      refuse_if(range.inbox.table(t).connections.size() > 0, "cells whose spikes reach cells");
    Begun& begun = begun_.emplace_back();
    const auto cells = beginner.of_cells(range.plan, run_, solver::RowOrder::by_level);
    for (std::size_t c = 0; c < range.plan.cell_count(); ++c)
      begun.cells.push_back(cells->begin(c, {}, range.spikes));
    for (std::size_t t = 0; t < range.plan.projections.size() + range.plan.stimuli.size(); ++t) {
      const network::FanIn& table = range.inbox.table(t).connections;
      auto& weights = begun.weights.emplace_back();
      for (std::size_t e = 0; e < table.size(); ++e) {
        weights.push_back(table.weight(e));
        begun.held["delays"].push_back(table.delay_ms(e));
      }
    }
    hold(range, begun);
  }

  void hold(const Range& range, Begun& begun) const {
    const double end_ms = static_cast<double>(run_.steps) * run_.dt_ms;
    begun.held["the run's steps"] = {run_.dt_ms, static_cast<double>(run_.steps),
                                     static_cast<double>(run_.integrator)};
    begun.held["the temperature"] = {run_.celsius};
    for (const SampleTimes& samples : run_.samples)
      for (const long long number : {samples.first, samples.every, samples.count})
        begun.held["what is recorded"].push_back(static_cast<double>(number));
    auto& times = begun.held["times of events"];
    for (network::DrivenCell driven : range.trains)
      for (; driven.train.next_ms() + driven.delay_ms <= end_ms; driven.train.advance())
        times.push_back(driven.train.next_ms() + driven.delay_ms);
    for (const begin::BegunCell& cell : begun.cells) {
      for (const begin::BegunBlock& block : cell.blocks)
        for (const double area : block.area_factors)
          begun.held["areas of compartments"].push_back(area);
      for (const begin::BegunIon& ion : cell.ions)
        for (const auto& [row, factor_mV] : ion.nernst_mV)
          begun.held["the temperature"].push_back(factor_mV);
    }
  }

  void make_cells(const EngineOptions& options) {
    std::vector<const Mechanism*> used;
    for (const Begun& begun : begun_)
      for (const begin::BegunCell& cell : begun.cells)
        for (const begin::BegunBlock& block : cell.blocks)
          if (std::ranges::find(used, block.mechanism) == used.end())
            used.push_back(block.mechanism);
    std::map<const Mechanism*, const Mechanism*> adjoints;
    std::vector<const Mechanism*> loops = used;
    for (const Mechanism* mechanism : used) {
      adjoints_.push_back(mechanisms::adjoint_of(*mechanism, options.announce));
      adjoints[mechanism] = adjoints_.back().get();
      loops.push_back(adjoints_.back().get());
    }
    mechanisms::make_ready(loops, 1, mechanisms::Arithmetic::of_doubles);
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      for (const begin::BegunCell& cell : begun_[r].cells) {
        Adjoints its;
        for (const begin::BegunBlock& block : cell.blocks)
          its.push_back(adjoints.at(block.mechanism));
        ranges_[r]->cells.push_back(make_cell(cell, run_, its));
      }
  }

  /// All steps where they fit, else as many as do.
  void choose_kept(std::size_t most) {
    std::size_t step_bytes = 0, largest = 0, cells = 0;
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) {
        step_bytes += cell->record_bytes();
        largest = std::max(largest, cell->record_bytes());
        ++cells;
      }
    const auto steps = static_cast<std::size_t>(run_.steps);
    const std::size_t at_once = largest * std::min<std::size_t>(cells, std::size_t(threads_));
    const auto bytes = [&](std::size_t every) {
      return every == 1 ? steps * step_bytes
                        : (steps + every - 1) / every * step_bytes + every * at_once;
    };
    std::size_t every = 1, least = bytes(1);
    while (bytes(every) > most && every < steps) least = std::min(least, bytes(++every));
    if (bytes(every) > most)
      throw UsageError(fmt::format(
          "{} steps take at least {:.3g} MB to be gone back over, and at most {:.3g} are given",
          steps, double(least) / 1e6, double(most) / 1e6));
    for (const auto& range : ranges_)
      for (const auto& cell : range->cells) cell->keep_every(static_cast<std::int64_t>(every));
  }

  const RunConstants& run_;
  int threads_;
  std::vector<std::shared_ptr<const Mechanism>> adjoints_;
  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<Begun> begun_;  ///< [range]
};

}  // namespace

std::unique_ptr<TapedEngine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<TheEngine>(plan, options);
}

}  // namespace hillock::simulator::taped
