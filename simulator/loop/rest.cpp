#include "simulator/loop/rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "core/errors/errors.hpp"
#include "simulator/backends/cpu/cpu_engine.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator {

namespace {

constexpr double look_ms = 1;
constexpr std::int64_t looks = 100;  ///< in which nothing may move
constexpr double most_movement_mV = 1e-6;
constexpr double longest_ms = 10000;
constexpr std::int64_t most_epoch_steps = 400;
constexpr std::size_t most_told = 6;  ///< of more populations a line tells of all together

bool begins_at_rest(const models::Network& network, const models::Population& population) {
  const auto* cable = std::get_if<models::CableCell>(&network.cells[population.cell].kind);
  if (!cable || population.size == 0) return false;
  return network.run.begins_at_rest ||
         std::ranges::any_of(cable->regions, &models::RegionSettings::begins_at_rest);
}

/// The first cell of each of some populations.
class FirstCells final : public network::Placement {
 public:
  FirstCells(const models::Network& network, std::vector<bool> wanted)
      : Placement(network, models::PlacementKind::blocks, 0, 1), wanted_(std::move(wanted)) {}
  network::CellSet cells_of(PopulationId population, int /*rank*/) const override {
    return {0, wanted_[population.value] ? 1U : 0U};
  }

 private:
  std::vector<bool> wanted_;
};

/// In steps: from one look to the next, and how many looks there are before giving up, so many at
/// least that some are of a time in which nothing moves.
struct Looking {
  explicit Looking(double dt_ms)
      : every(std::max<std::int64_t>(1, std::llround(look_ms / dt_ms))),
        times(std::max(2 * looks, static_cast<std::int64_t>(std::ceil(
                                      longest_ms / (static_cast<double>(every) * dt_ms))))) {}
  std::int64_t epoch() const { return std::min(every, most_epoch_steps); }
  /// Of the one that begins with a step: at a multiple of their length, or at a look.
  std::int64_t end_of_epoch(std::int64_t first) const {
    return std::min((first / epoch() + 1) * epoch(), (first / every + 1) * every);
  }
  std::int64_t every;
  std::int64_t times;
};

models::Recording voltages_of(const models::Population& population, std::size_t number,
                              const Looking& looking, const models::Run& run) {
  models::Recording v;
  v.name = population.name;
  v.of = {PopulationId(static_cast<std::uint32_t>(number)), 0, 1, {}};
  v.variable = models::RecordedVariable{models::RecordedVariable::Kind::voltage, "", "", "mV"};
  v.at.kind = models::Locations::Kind::all;
  v.every_ms = static_cast<double>(looking.every) * run.dt_ms;
  v.stop_ms = run.duration_ms;
  return v;
}

/// The network in which these cells are alone. They keep their numbers, and so their draws.
models::Network without_others(const models::Network& network, const std::vector<bool>& wanted,
                               const Looking& looking) {
  models::Network alone;
  alone.run = network.run;
  alone.run.begins_at_rest = false;
  alone.run.integrator = models::Integrator::backward_euler;
  alone.run.solver = "exact";
  alone.run.steps = looking.every * (looking.times + 1);
  alone.run.duration_ms = static_cast<double>(alone.run.steps) * alone.run.dt_ms;
  alone.pointer_targets = network.pointer_targets;
  alone.cells = network.cells;
  for (models::Cell& cell : alone.cells)
    if (auto* cable = std::get_if<models::CableCell>(&cell.kind)) {
      cable->detector.reset();
      for (models::RegionSettings& settings : cable->regions) settings.begins_at_rest = false;
    }
  for (std::size_t p = 0; p < network.populations.size(); ++p) {
    const models::Population& one = network.populations[p];
    alone.populations.push_back({one.name, one.cell, one.size, {}, one.place, one.step});
    if (wanted[p]) alone.recordings.push_back(voltages_of(one, p, looking, alone.run));
  }
  return alone;
}

/// What the compartments of one cell are seen to do.
class Watched {
 public:
  /// v_mV: [compartment]
  void look(const std::vector<double>& v_mV) {
    if (is_at_rest_) return;
    if (seen_ == 0) least_mV_ = most_mV_ = v_mV;
    for (std::size_t i = 0; i < v_mV.size(); ++i) {
      least_mV_[i] = std::min(least_mV_[i], v_mV[i]);
      most_mV_[i] = std::max(most_mV_[i], v_mV[i]);
    }
    if (seen_++ < looks) return;
    movement_mV_ = 0;
    for (std::size_t i = 0; i < v_mV.size(); ++i)
      movement_mV_ = std::max(movement_mV_, most_mV_[i] - least_mV_[i]);
    is_at_rest_ = movement_mV_ <= most_movement_mV;
    now_mV_ = least_mV_ = most_mV_ = v_mV;
    seen_ = 1;  // the last look of one stretch is the first of the next
  }
  bool is_at_rest() const { return is_at_rest_; }
  double movement_mV() const { return movement_mV_; }  ///< in the last stretch of looks
  const std::vector<double>& rest_mV() const { return now_mV_; }

 private:
  std::int64_t seen_ = 0;
  std::vector<double> least_mV_, most_mV_, now_mV_;
  double movement_mV_ = 0;
  bool is_at_rest_ = false;
};

class Settling {
 public:
  Settling(const models::Network& network, const mechanisms::Registry& mechanisms,
           const std::vector<bool>& wanted, const RestOptions& options)
      : options_(options),
        looking_(network.run.dt_ms),
        network_(without_others(network, wanted, looking_)),
        first_cells_(network_, wanted),
        plan_(outline_network(network_, mechanisms,
                              {&first_cells_, options.threads, Connections::made, &unwatched_})),
        engine_(cpu::make_engine(plan_, {options.threads, &unwatched_})) {
    complete(plan_);
    engine_->prepare(looking_.epoch(), plan_.reports);
    watched_.resize(plan_.reports.size());
    rows_.resize(plan_.reports.size());
  }

  void run() {
    options_.activity->begin("finding rest");
    EpochResult result;
    look_at(-1, 0, result, [&] {
      engine_->start(result);
      engine_->finish();
    });
    for (std::int64_t look = 0; look < looking_.times && !all_rest(); ++look) {
      const std::int64_t first = look * looking_.every, last = first + looking_.every;
      look_at(first, last, result, [&] { go_on(first, last, result); });
      options_.activity->reach(static_cast<std::uint64_t>(look + 1));
    }
  }

  Rest take() const {
    Rest rest(network_.populations.size());
    const bool tells_each = watched_.size() <= most_told;
    double least_mV = std::numeric_limits<double>::infinity(), most_mV = -least_mV;
    for (std::size_t r = 0; r < watched_.size(); ++r) {
      const PopulationId of = network_.recordings[r].of.population;
      const models::Population& population = network_.populations[of.value];
      if (!watched_[r].is_at_rest()) refuse(population, watched_[r]);
      const models::ReportLayout& report = plan_.reports[r];
      models::PlacedRows rows;
      for (std::size_t i = 0; i < report.element_ids.size(); ++i)
        rows.rows.push_back(
            {report.element_ids[i], report.element_pos[i], watched_[r].rest_mV()[i]});
      const auto [least, most] = std::ranges::minmax(rows.rows, {}, &models::PlacedRow::value);
      if (tells_each)
        options_.announce(fmt::format("{} begins at rest, {:.2f} to {:.2f} mV", population.name,
                                      least.value, most.value));
      least_mV = std::min(least_mV, least.value);
      most_mV = std::max(most_mV, most.value);
      rest[of.value] = std::make_shared<const models::PlacedRows>(std::move(rows));
    }
    if (!tells_each)
      options_.announce(fmt::format("{} populations begin at rest, {:.2f} to {:.2f} mV",
                                    watched_.size(), least_mV, most_mV));
    return rest;
  }

 private:
  template <class Body>
  void look_at(std::int64_t after, std::int64_t last, EpochResult& result, const Body& body) {
    result.samples.resize(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      rows_[r].resize(plan_.reports[r].element_ids.size());
      result.samples[r] = {rows_[r].data(), rows_[r].size(), plan_.run.samples[r].up_to(after)};
    }
    body();
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (plan_.run.samples[r].contains(last)) watched_[r].look(rows_[r]);
  }

  void go_on(std::int64_t first, std::int64_t last, EpochResult& result) {
    while (first < last) {
      const std::int64_t end = looking_.end_of_epoch(first);
      engine_->launch({first, end, false, looking_.end_of_epoch(end)}, {}, result);
      engine_->finish();
      first = end;
    }
  }

  bool all_rest() const { return std::ranges::all_of(watched_, &Watched::is_at_rest); }

  [[noreturn]] void refuse(const models::Population& population, const Watched& cell) const {
    reject(
        population.place,
        fmt::format(
            "populations.{0}: {0}[0] finds no rest from which to begin (v_init: rest): "
            "after {1:g} s alone its voltage still moves by {2:.3g} mV in {3:g} ms. "
            "Does it spike by itself?",
            population.name,
            static_cast<double>(looking_.times * looking_.every) * network_.run.dt_ms / 1000,
            cell.movement_mV(), static_cast<double>(looks * looking_.every) * network_.run.dt_ms));
  }

  const RestOptions& options_;
  Looking looking_;
  models::Network network_;
  FirstCells first_cells_;
  Activity unwatched_;
  NetworkPlan plan_;
  std::unique_ptr<Engine> engine_;
  std::vector<Watched> watched_;           ///< [report]
  std::vector<std::vector<double>> rows_;  ///< [report] the last sample
};

}  // namespace

Rest find_rest(const models::Network& network, const mechanisms::Registry& mechanisms,
               const RestOptions& options) {
  std::vector<bool> wanted;
  for (const models::Population& population : network.populations)
    wanted.push_back(begins_at_rest(network, population));
  if (std::ranges::find(wanted, true) == wanted.end()) return {};
  Settling settling(network, mechanisms, wanted, options);
  settling.run();
  return settling.take();
}

}  // namespace hillock::simulator
