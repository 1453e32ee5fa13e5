#pragma once
// Some cells of a network with an engine of their own, as a rank has them; and several of these
// that run a network together, without a loop of their own between them.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/state/state_parts.hpp"
#include "network/placement.hpp"
#include "network/recent_spikes.hpp"
#include "simulator/backends/cpu/cpu_engine.hpp"
#include "simulator/plan/network/late_spikes.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {

/// The cells of one of several ranks.
inline std::map<std::string, CellIndices> cells_of(const models::Network& network,
                                                   const network::Placement& placement) {
  std::map<std::string, CellIndices> cells;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const network::CellSet some = placement.cells_of(PopulationId(p));
    cells[network.populations[p].name] = {some.begin, some.stride, some.size()};
  }
  return cells;
}

class PartOfNetwork {
 public:
  PartOfNetwork(const models::Network& network, const mechanisms::Registry& mechanisms,
                const network::Placement& placement, int threads)
      : network_(network), cells_(cells_of(network, placement)) {
    plan_ =
        outline_network(network, mechanisms, {&placement, threads, Connections::made, &activity_});
    engine_ = cpu::make_engine(plan_, {threads, &activity_});
    complete(plan_);
  }

  double longest_delay_ms() const { return plan_.longest_delay_ms; }
  double shortest_told_delay_ms() const { return plan_.shortest_told_delay_ms; }
  /// The largest weights, of which every part must know the largest of all.
  PointWeights& weights() { return plan_.run.weights; }
  const std::map<std::string, CellIndices>& cells() const { return cells_; }
  const network::SpikeLists& spikes() const { return result_.spikes; }
  const network::GapValues& gaps() const { return plan_.gap_values; }
  /// What comes is not known before all parts have told: the engine gets what it has had until
  /// then.
  std::vector<double> leaving_gap_values() {
    std::vector<double> told;
    engine_->exchange_gaps([&](std::span<const double> leaving) {
      told.assign(leaving.begin(), leaving.end());
      return std::span<const double>(coming_);
    });
    return told;
  }
  void take_gap_values(std::vector<double> coming) {
    coming_ = std::move(coming);
    engine_->exchange_gaps([&](auto) { return std::span<const double>(coming_); });
  }

  /// Goes on from the whole network's state, of which it takes its own cells' out first, or not.
  void restore(const State& whole, std::int64_t step, std::int64_t epoch_steps, double longest_ms,
               bool takes_out) {
    recent_ = {longest_ms, longest_step_ms(network_)};
    engine_->prepare(epoch_steps, plan_.reports);
    open(-1, 0);
    engine_->start(result_);
    engine_->finish();
    const State own = StateCutter(whole).cut(cells_);
    StateReader of_own(own), of_all(whole);
    engine_->restore(takes_out ? of_own : of_all, {step});
    if (!takes_out) drop_spikes_of_cells(of_all);
    result_.spikes = {network::RecentSpikes::restore(of_own, network_)};
    if (takes_out) of_own.finish_cells();
  }
  void launch(const Epoch& epoch, const network::SpikeLists& all) {
    recent_.add(result_.spikes, static_cast<double>(epoch.first) * network_.run.dt_ms);
    open(epoch.first, epoch.last);
    made_ = std::move(result_);
    made_.spikes.clear();
    engine_->launch(epoch, all, made_);
  }
  bool follows_gaps() const { return plan_.states_follow_gaps; }
  void follow_gaps() { engine_->follow_gaps(); }
  void finish() {
    engine_->finish();
    result_ = std::move(made_);
  }
  State save(std::int64_t step) {
    State state = engine_->save();
    recent_.save(state, network_, result_.spikes, static_cast<double>(step) * network_.run.dt_ms);
    return state;
  }

 private:
  /// Reads the spikes of its own cells, which it gets elsewhere.
  void drop_spikes_of_cells(StateReader& state) {
    StateWalk walk(state);
    double none = 0;
    for (const auto& [population, cells] : cells_) {
      std::vector<std::uint64_t> indices;
      for (std::size_t i = 0; i < cells.size(); ++i) indices.push_back(cells[i]);
      if (indices.empty()) continue;
      walk.begin(population, indices);
      walk.column("spikes/time", [&](std::size_t) {
        while (walk.left() > 0) walk.number(none);
      });
    }
    state.finish_cells();
  }
  void open(std::int64_t after, std::int64_t last) {
    rows_.resize(plan_.reports.size());
    result_.samples.resize(plan_.reports.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const SampleTimes& times = plan_.run.samples[r];
      const std::size_t columns = plan_.reports[r].element_ids.size();
      rows_[r].resize(static_cast<std::size_t>(times.up_to(last) - times.up_to(after)) * columns);
      result_.samples[r] = {rows_[r].data(), columns, times.up_to(after)};
    }
  }

  const models::Network& network_;
  std::map<std::string, CellIndices> cells_;
  Activity activity_;
  NetworkPlan plan_;
  std::unique_ptr<Engine> engine_;
  network::RecentSpikes recent_;
  EpochResult result_, made_;
  std::vector<double> coming_;  ///< of gap junctions' values
  std::vector<std::vector<double>> rows_;
};

/// Brings the voltages of gap junctions from part to part, as ranks do.
inline void swap_gap_voltages(std::span<const std::unique_ptr<PartOfNetwork>> parts,
                              const models::Network& network, const network::Placement& placement) {
  const auto part_of = [&](CellId cell) {
    const auto [population, index] = network.population_of(cell);
    return static_cast<std::size_t>(placement.rank_of(population, index));
  };
  std::map<std::pair<std::size_t, std::size_t>, std::deque<double>> on_the_way;  // [from, to]
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<double> leaving = parts[k]->leaving_gap_values();
    for (std::size_t i = 0; i < leaving.size(); ++i)
      on_the_way[{k, part_of(parts[k]->gaps().leaving_to[i])}].push_back(leaving[i]);
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<double> coming;
    for (const CellId cell : parts[k]->gaps().coming_from) {
      auto& those = on_the_way[{part_of(cell), k}];
      coming.push_back(those.front());
      those.pop_front();
    }
    parts[k]->take_gap_values(std::move(coming));
  }
}

/// Cuts a network into `count` parts, which go on together from what was saved of the whole, and
/// joins what they save later.
inline State resumed_in_parts(const models::Network& network,
                              const mechanisms::Registry& mechanisms, models::PlacementKind kind,
                              int count, const State& whole, std::int64_t first_step,
                              std::int64_t last_step, std::int64_t epoch_steps) {
  std::vector<std::unique_ptr<PartOfNetwork>> parts;
  double longest_ms = 0;
  for (int k = 0; k < count; ++k) {
    const network::Placement placement(network, kind, k, count);
    parts.push_back(std::make_unique<PartOfNetwork>(network, mechanisms, placement, 1 + k % 2));
    longest_ms = std::max(longest_ms, parts.back()->longest_delay_ms());
  }
  PointWeights largest(network);
  for (const auto of :
       {&PointWeights::of_projection, &PointWeights::of_stimulus, &PointWeights::onto_population})
    for (const auto& part : parts)
      for (std::size_t i = 0; i < (part->weights().*of).size(); ++i)
        (largest.*of)[i] = std::max((largest.*of)[i], (part->weights().*of)[i]);
  for (const auto& part : parts) part->weights() = largest;
  const network::Placement placement(network, kind, 0, count);
  const auto swap_gaps = [&] {
    if (network::has_gap_junctions(network)) swap_gap_voltages(parts, network, placement);
  };
  swap_gaps();
  bool takes_out = false;
  for (const auto& part : parts)
    part->restore(whole, first_step, epoch_steps, longest_ms, takes_out = !takes_out);
  for (std::int64_t step = first_step; step < last_step;) {
    const std::int64_t end = std::min((step / epoch_steps + 1) * epoch_steps, last_step);
    swap_gaps();
    network::SpikeLists all;
    for (const auto& part : parts)
      all.insert(all.end(), part->spikes().begin(), part->spikes().end());
    for (const auto& part : parts) part->launch({step, end, end == last_step, end}, all);
    if (parts.front()->follows_gaps()) {
      swap_gaps();
      for (const auto& part : parts) part->follow_gaps();
      swap_gaps();  // variables that are read have gone on, too
    }
    for (const auto& part : parts) part->finish();
    step = end;
  }
  std::vector<State> saved;
  for (const auto& part : parts) saved.push_back(part->save(last_step));
  std::ranges::reverse(saved);
  return joined(std::move(saved));
}

}  // namespace hillock::simulator
