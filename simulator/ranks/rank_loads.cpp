#include "simulator/ranks/rank_loads.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "network/expected_connections.hpp"
#include "network/gap_pairs.hpp"
#include "simulator/output/potentials.hpp"
#include "simulator/plan/network/cell_costs.hpp"
#include "simulator/plan/network/epoch_length.hpp"
#include "simulator/plan/network/expected_projections.hpp"
#include "simulator/plan/network/late_spikes.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/ranks/memory_counts.hpp"
#include "simulator/ranks/sampled_cells.hpp"

namespace hillock::simulator {

namespace {

class LoadEstimate {
 public:
  LoadEstimate(const models::Network& network, const mechanisms::Registry& mechanisms,
               const RankLoadOptions& options)
      : network_(network),
        mechanisms_(mechanisms),
        options_(options),
        cells_(network, mechanisms, options.threads) {
    late_ = find_late_spikes(network, mechanisms);
    costs_ = cell_costs(network, mechanisms);
    placement_.emplace(network, network.run.placement, 0, options.ranks, costs_);
  }

  /// Far more than anything takes: hundreds of bytes a compartment, tens a connection or a column.
  /// A cell without compartments counts as one.
  double bound() {
    constexpr double compartment = 4096, connection = 256, train = 512, junction = 2048,
                     column = 128;
    double compartments = 0, bytes = 0;
    for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
      const auto cells = static_cast<double>(network_.populations[p].size);
      compartments += cells * std::max(1.0, cells_.compartments_a_cell(PopulationId(p)));
      bytes += 2 * cells *
               ring_bytes(network_, mechanisms_, PopulationId(p), longest_written_onto_ms(p));
    }
    double columns = 0;
    for (const models::Recording* report : cells_.reports())
      columns += report->variable->kind == models::RecordedVariable::Kind::weight
                     ? expected_weights(network_, *report)
                     : compartments;
    const double rows = 4.0 * 8 * static_cast<double>(options_.most_epoch_steps + 1) * columns;
    bytes += compartment * compartments + column * columns +
             std::min(rows, 4.0 * static_cast<double>(options_.most_sample_bytes));
    for (const models::Stimulus& stimulus : network_.stimuli)
      bytes += train * static_cast<double>(stimulus.to.size());
    for (std::size_t p = 0; p < network_.projections.size(); ++p)
      bytes +=
          network::expected_connection_count(network_, p) * (is_of_gaps(p) ? junction : connection);
    return bytes;
  }

  RankLoads all() {
    RankLoads loads;
    expect_connections(loads);
    for (std::uint32_t p = 0; p < network_.populations.size(); ++p)
      means_.push_back(
          cells_.mean_of(PopulationId(p), sample_size(PopulationId(p)), longest_onto_ms_));
    for (const models::Stimulus& stimulus : network_.stimuli)
      driven_.push_back(cells_.synapses_a_cell(stimulus));
    choose_epoch(loads);
    loads.ranks.reserve(static_cast<std::size_t>(options_.ranks));
    double cost = 0;
    for (int rank = 0; rank < options_.ranks; ++rank) {
      loads.ranks.push_back(load_of(rank, loads.epoch_steps));
      cost += loads.ranks.back().share;
    }
    for (RankLoad& load : loads.ranks) load.share /= std::max(1.0, cost);
    return loads;
  }

 private:
  /// The most cells that a rank has of a population, but no more than can be laid out soon.
  std::uint64_t sample_size(PopulationId population) {
    std::uint64_t most = 0;
    const int step = std::max(1, options_.ranks / 64);
    for (int rank = 0; rank < options_.ranks; rank += step)
      most = std::max(most, placement_->cells_of(population, rank).size());
    const std::uint64_t few = std::min<std::uint64_t>(most, 64);
    if (few == 0) return network_.populations[population.value].size > 0 ? 1 : 0;
    constexpr std::uint64_t most_cells = 20'000;
    const double wanted = static_cast<double>(options_.most_compartments) /
                          std::max(1.0, cells_.compartments_a_cell(population));
    return std::min({most, most_cells, std::max(few, static_cast<std::uint64_t>(wanted))});
  }

  /// Of the delays onto a population those that are numbers in the model, of lists in their rows.
  double longest_written_onto_ms(std::uint32_t population) const {
    double longest_ms = 0;
    for (const models::Projection& projection : network_.projections) {
      if (projection.to.population.value != population) continue;
      const models::Value& delay = projection.delay.base_ms;
      const std::vector<double>& of_rows = projection.connect.rows.delays_ms;
      if (delay.is_constant()) longest_ms = std::max(longest_ms, delay.constant());
      if (!of_rows.empty()) longest_ms = std::max(longest_ms, std::ranges::max(of_rows));
    }
    return longest_ms;
  }

  bool is_of_gaps(std::size_t projection) const {
    return std::holds_alternative<models::GapJunction>(network_.projections[projection].link);
  }

  void expect_connections(RankLoads& loads) {
    gaps_.resize(network_.projections.size());
    longest_onto_ms_.resize(network_.populations.size());
    for (std::size_t p = 0; p < network_.projections.size(); ++p) {
      const models::PopulationSlice& to = network_.projections[p].to;
      if (is_of_gaps(p) || network::expected_connection_count(network_, p) == 0) {
        projections_.emplace_back();
        connections_.emplace_back(options_.ranks, 0);
        if (is_of_gaps(p)) expect_gaps(p);
        continue;
      }
      CellAlone first = cells_.first_of(to);
      projections_.emplace_back(network_, mechanisms_, p, std::move(first.range));
      connections_.push_back(projections_.back().connections_of_ranks(*placement_));
      const double delay_ms = projections_.back().shortest_delay_ms();
      if (loads.shortest_delay_ms == 0 || delay_ms < loads.shortest_delay_ms)
        loads.shortest_delay_ms = delay_ms;
      add_delay(network_, p, delay_ms, late_);
      double& longest_ms = longest_onto_ms_[to.population.value];
      if (!projections_.back().is_plastic())
        longest_ms = std::max(longest_ms, projections_.back().longest_delay_ms());
      loads.connections += projections_.back().connections();
    }
  }

  void expect_gaps(std::size_t projection) {
    const models::PopulationSlice& to = network_.projections[projection].to;
    const models::PopulationSlice& from = network_.projections[projection].from;
    if (to.size() == 0 || from.size() == 0) return;
    CellAlone target = cells_.first_of(to), source = cells_.first_of(from);
    gaps_[projection] = {network_, mechanisms_, projection, std::move(target.range),
                         std::move(source.range)};
  }

  /// As a simulation does whose spikes do not travel during an epoch.
  void choose_epoch(RankLoads& loads) const {
    double samples_a_step = 0;
    const auto most = static_cast<double>(options_.most_sample_bytes);
    for (std::size_t r = 0; r < cells_.reports().size(); ++r) {
      const models::Recording& report = *cells_.reports()[r];
      const double columns = cells_.columns_a_cell(r) * static_cast<double>(report.of.size());
      if (report.is_mean)
        samples_a_step += 8 * columns / most;
      else
        samples_a_step +=
            8 * columns * network_.run.dt_ms / report.every_ms /
            (report.potential ? room_for_currents(most, columns, report.potential->size()) : most);
    }
    loads.epoch_steps = epoch_length({.dt_ms = network_.run.dt_ms,
                                      .has_clock = network_.run.clock.has_value(),
                                      .shortest_delay_ms = loads.shortest_delay_ms,
                                      .late = late_,
                                      .has_gap_junctions = network::has_gap_junctions(network_),
                                      .most_steps = options_.most_epoch_steps,
                                      .samples_a_step = samples_a_step})
                            .steps;
  }

  /// What is summed for one rank.
  struct Sums {
    double cells = 0, compartments = 0, synapses = 0, state_bytes = 0;
    double ring_bytes = 0;  ///< of these
    double groups = 0;
    double group_bytes = 0;  ///< of the largest group
    double ranges = 1;
    ConnectionMemory connections;
    Burst burst;
  };

  RankLoad load_of(int rank, std::int64_t epoch_steps) const {
    RankLoad load;
    load.threads = options_.threads;
    Sums sums;
    add_cells(rank, sums, load);
    if (load.cells == 0) {
      load.columns.resize(cells_.reports().size(), 0);
      return load;
    }
    sums.ranges =
        static_cast<double>(wanted_ranges(static_cast<std::uint64_t>(sums.compartments), load.cells,
                                          options_.threads, placement_->ranks()));
    add_connections(rank, sums, static_cast<double>(epoch_steps) * network_.run.dt_ms);
    load.compartments = static_cast<std::uint64_t>(std::llround(sums.compartments));
    load.synapses = static_cast<std::uint64_t>(std::llround(sums.synapses));
    load.state_bytes = static_cast<std::uint64_t>(sums.state_bytes);
    load.ring_bytes = static_cast<std::uint64_t>(sums.ring_bytes);
    load.connection_bytes = sums.connections.kept;
    load.packed_away_bytes = sums.connections.packed_away;
    load.preparing_bytes = sums.connections.preparing;
    load.building_bytes = building_bytes(rank, sums);
    load.event_bytes =
        sums.burst.bytes(std::min(sums.ranges, static_cast<double>(options_.threads))) +
        spikes_of(rank, epoch_steps);
    add_recordings(rank, epoch_steps, load);
    add_lists(rank, load);
    return load;
  }

  void add_cells(int rank, Sums& sums, RankLoad& load) const {
    for (std::uint32_t p = 0; p < means_.size(); ++p) {
      const network::CellSet cells = placement_->cells_of(PopulationId(p), rank);
      const auto number = static_cast<double>(cells.size());
      if (number == 0) continue;
      const MeanOfCells& mean = means_[p];
      load.cells += cells.size();
      load.share += cost_of(p, cells);
      sums.cells += number;
      sums.compartments += number * mean.compartments;
      sums.state_bytes += number * mean.state_bytes;
      sums.groups += number * mean.groups;
      sums.ring_bytes +=
          number * ring_bytes(network_, mechanisms_, PopulationId(p), longest_onto_ms_[p]);
      sums.group_bytes =
          std::max(sums.group_bytes, std::min(mean.group_bytes, number * mean.state_bytes));
    }
  }

  void add_connections(int rank, Sums& sums, double epoch_ms) const {
    for (std::size_t s = 0; s < driven_.size(); ++s) {
      const models::PopulationSlice& to = network_.stimuli[s].to;
      const network::CellSet cells = placement_->cells_of(to.population, rank);
      sums.synapses += driven_[s] * static_cast<double>(cells.within(to.begin, to.end).size());
    }
    for (std::size_t p = 0; p < projections_.size(); ++p) {
      const double here = connections_[p][static_cast<std::size_t>(rank)];
      if (here == 0) continue;
      const models::PopulationSlice& to = network_.projections[p].to;
      const network::CellSet cells = placement_->cells_of(to.population, rank);
      const auto targets = static_cast<double>(cells.within(to.begin, to.end).size());
      const double ranges = sums.ranges * static_cast<double>(cells.size()) / sums.cells;
      sums.synapses += here;
      sums.connections.add(projections_[p].memory(here, targets, std::max(1.0, ranges)),
                           to.population);
      add_burst(projections_[p].burst(here, std::max(1.0, ranges), epoch_ms), sums);
    }
    for (std::size_t p = 0; p < gaps_.size(); ++p)
      if (gaps_[p].junctions() > 0)
        sums.connections.add(
            gaps_[p].memory(part_of(network_.projections[p].to, rank),
                            part_of(network_.projections[p].from, rank), sums.ranges),
            network_.projections[p].to.population);
  }

  /// Which part of a slice's cells a rank has.
  double part_of(const models::PopulationSlice& slice, int rank) const {
    const network::CellSet cells = placement_->cells_of(slice.population, rank);
    return static_cast<double>(cells.within(slice.begin, slice.end).size()) /
           static_cast<double>(slice.size());
  }

  /// Nothing spikes without a stimulus.
  void add_burst(const BurstEvents& burst, Sums& sums) const {
    if (network_.stimuli.empty()) return;
    sums.burst.add(burst, std::max(1.0, sums.groups / sums.ranges));
  }

  std::uint64_t spikes_of(int rank, std::int64_t epoch_steps) const {
    const SpikingCells all = spiking_cells(network_);
    SpikingCells own = all;
    for (std::uint32_t p = 0; p < own.size(); ++p)
      if (own[p] > 0)
        own[p] = static_cast<double>(placement_->cells_of(PopulationId(p), rank).size());
    const double dt_ms = network_.run.dt_ms;
    return spike_bytes({.own = &own,
                        .all = &all,
                        .ranks = options_.ranks,
                        .writes = rank == 0,
                        .epoch_ms = static_cast<double>(epoch_steps) * dt_ms,
                        .run_ms = static_cast<double>(network_.run.steps) * dt_ms});
  }

  /// A rank of several has read as many rows as any other, and puts them into messages.
  void add_lists(int rank, RankLoad& load) const {
    double own = 0, part = 0;
    for (std::size_t p = 0; p < projections_.size(); ++p) {
      const models::ConnectionRows& rows = network_.projections[p].connect.rows;
      if (rows.listed == 0) continue;
      const auto bytes = static_cast<double>(rows.bytes_a_row());
      const double all = bytes * static_cast<double>(rows.listed);
      if (connections_[p].empty() || projections_[p].connections() == 0) {  // gap junctions
        own += all;
        part += all;
        continue;
      }
      own += all * connections_[p][static_cast<std::size_t>(rank)] / projections_[p].connections();
      part += all / placement_->ranks();
    }
    load.list_bytes = static_cast<std::uint64_t>(own);
    const double dealing = placement_->ranks() > 1 ? part + std::max(part, own) : own;
    load.dealing_bytes = static_cast<std::uint64_t>(dealing);
  }

  /// As of a simulation.
  std::uint64_t building_bytes(int rank, const Sums& sums) const {
    double kinds = 0;
    for (std::uint32_t p = 0; p < means_.size(); ++p) {
      const auto number = static_cast<double>(placement_->cells_of(PopulationId(p), rank).size());
      kinds = std::max(kinds, means_[p].kind_bytes * std::min(number, sums.cells / sums.ranges));
    }
    const double planned = kinds + static_cast<double>(sums.connections.building);
    const double laid_out =
        (sums.state_bytes - sums.ring_bytes + static_cast<double>(sums.connections.kept)) /
        sums.ranges;
    const double threads = std::min(sums.ranges, static_cast<double>(options_.threads));
    return sums.connections.connectors +
           static_cast<std::uint64_t>(
               threads * (std::max(planned, laid_out) - laid_out + 2 * sums.group_bytes));
  }

  double cost_of(std::uint32_t population, const network::CellSet& cells) const {
    double cost = 0;
    std::uint64_t begin = 0;
    for (const network::CellCost& some : costs_[population]) {
      cost += static_cast<double>(cells.within(begin, some.end).size()) *
              static_cast<double>(some.cost);
      begin = some.end;
    }
    return cost;
  }

  void add_recordings(int rank, std::int64_t epoch_steps, RankLoad& load) const {
    for (std::size_t r = 0; r < cells_.reports().size(); ++r) {
      const models::Recording& recording = *cells_.reports()[r];
      const models::PopulationSlice& of = recording.of;
      const auto cells = static_cast<double>(
          placement_->cells_of(of.population, rank).within(of.begin, of.end).size());
      const double columns = cells * cells_.columns_a_cell(r);
      const double every = std::max(1.0, std::round(recording.every_ms / network_.run.dt_ms));
      const double rows = static_cast<double>(epoch_steps) / every;
      const double of_run = (recording.stop_ms - recording.start_ms) / recording.every_ms + 1;
      load.columns.push_back(static_cast<std::uint64_t>(std::llround(columns)));
      double bytes = 2 * (16 * cells + 8 * columns);
      if (recording.potential) {
        const bool is_by_cell = recording.by == models::Recording::By::cell;
        const PotentialBytes of = potential_bytes(
            {.columns = columns,
             .contacts = recording.potential->size(),
             .samples_an_epoch = rows,
             .samples_of_run = of_run,
             .steps_an_epoch = recording.is_mean ? static_cast<double>(epoch_steps) : 0,
             .cells = is_by_cell ? cells : 0},
            options_.threads);
        bytes += of.map + of.currents;
      } else {
        bytes += row_bytes(rows, of_run, 8 * columns);
      }
      load.sample_bytes += static_cast<std::uint64_t>(bytes);
    }
  }

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  const RankLoadOptions& options_;
  SampledCells cells_;
  network::CellCosts costs_;
  std::optional<network::Placement> placement_;
  std::vector<MeanOfCells> means_;  ///< [population]
  std::vector<ExpectedProjection> projections_;
  std::vector<LateSpikes> late_;
  std::vector<double> longest_onto_ms_;           ///< [population]
  std::vector<ExpectedGaps> gaps_;                ///< [projection]
  std::vector<std::vector<double>> connections_;  ///< [projection][rank]
  std::vector<double> driven_;                    ///< [stimulus] synapses a cell
};

}  // namespace

std::uint64_t RankLoad::bytes(std::uint64_t program, std::uint64_t outputs) const {
  const std::uint64_t kept = state_bytes + connection_bytes;
  return most_bytes({.program = program,
                     .building = std::max({dealing_bytes, list_bytes + preparing_bytes,
                                           list_bytes + kept + building_bytes - ring_bytes}),
                     .running = kept - packed_away_bytes + sample_bytes + outputs + event_bytes,
                     .threads = threads});
}

RankLoads load_ranks(const models::Network& network, const mechanisms::Registry& mechanisms,
                     const RankLoadOptions& options) {
  return LoadEstimate(network, mechanisms, options).all();
}

bool surely_take_less(double bytes, const models::Network& network,
                      const mechanisms::Registry& mechanisms, const RankLoadOptions& options) {
  return LoadEstimate(network, mechanisms, options).bound() < bytes;
}

}  // namespace hillock::simulator
