#include "simulator/backends/cpu/points/point_range.hpp"

#include <algorithm>
#include <utility>

#include "core/program/asker.hpp"
#include "network/events.hpp"
#include "network/propagation/driven_inputs.hpp"
#include "simulator/backends/cpu/groups/range_groups.hpp"

namespace hillock::simulator::cpu {

PointRange::PointRange(RangePlan plan, const RunConstants& run, int lanes)
    : run_(run),
      population_(plan.population),
      neurons_(plan.cell_count()),
      projections_(std::move(plan.projections)),
      stimuli_(std::move(plan.stimuli)),
      step_inputs_(std::move(plan.step_inputs)),
      trains_(std::move(plan.driven)),
      inputs_(neurons_, plan.points.front().mechanism->info->negative_input < 0 ? 1 : 2) {
  recorded_weights_ = std::move(plan.recorded_weights);
  groups_ = make_point_groups(plan, lanes, run_);
  for (const network::FanInTable& table : projections_)
    has_plasticity_ = has_plasticity_ || run_.stdp[table.projection];
}

void PointRange::prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) {
  for (const auto& group : groups_) group->number_columns(reports);
  grid_ = network::SumGrid(run_.weights.onto(population_->id));
  std::int64_t longest = trains_.all().empty() ? 1 : step().most_in(epoch_steps);
  if (!run_.longest_onto_ms.empty())
    longest = std::max(longest, step().most_in(network::delay_steps(
                                    run_.longest_onto_ms[population_->id.value], step())));
  tables_.reserve(projections_.size());
  for (network::FanInTable& table : projections_) {
    const Asker asker(Asked::connections, "population", population_->name);
    if (const models::Stdp* const stdp = run_.stdp[table.projection]) {
      plastic_tables_.emplace_back(table, neurons_, step(), grid_, *stdp);
    } else {
      const network::SynapsePart part{&table, 0};
      tables_.emplace_back(std::span(&part, 1), neurons_, step(), grid_,
                           run_.weights.of_projection[table.projection], 16, network::one_by_one);
      longest = std::max(longest, tables_.back().longest_steps());
    }
    table = {};
  }
  projections_ = {};
  inputs_.reach(longest);
  number_weights(reports);
}

/// Neurons are in the order of their indices, in the range and in the reports.
void PointRange::number_weights(std::span<const models::ReportLayout> reports) {
  for (const RecordedWeights& recorded : recorded_weights_) {
    const models::ReportLayout& layout = reports[recorded.report];
    WeightReport& report = weight_reports_.emplace_back();
    report.report = recorded.report;
    report.columns.resize(neurons_);
    for (PlasticTable& table : plastic_tables_)
      if (table.projection() == recorded.projection) report.table = &table;
    for (const auto& group : groups_)
      for (const std::uint64_t index : group->layout().indices) {
        const auto node = std::ranges::lower_bound(layout.node_ids, index);
        if (node != layout.node_ids.end() && *node == index)
          report.columns[group->neuron_of(CellId(population_->first.value + index))] =
              layout.index_pointers[static_cast<std::size_t>(node - layout.node_ids.begin())];
      }
  }
  recorded_weights_ = {};
}

void PointRange::start(std::vector<network::CellSpike>&, std::span<const SampleBuffer> samples) {
  for (const auto& group : groups_) {
    group->initialise();
    group->sample_start(samples);
  }
  sample_weights(0, samples);
}

void PointRange::receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) {
  const Asker asker(Asked::spikes, "what spikes send to population", population_->name);
  const network::InputRingView ring = inputs_.view();
  for (const network::SynapseTable& table : tables_)
    for (const auto& some : arriving)
      table.pass(some, run_.dt_ms, step().ended_by(resumed_at_), ring);
  for (PlasticTable& table : plastic_tables_) table.receive(arriving, epoch.first);
  network::drive_inputs(trains_, stimuli_, grid_, step().ended_by(epoch.first),
                        step().ended_by(epoch.last), step().ms,
                        [&](std::int64_t step, std::uint32_t neuron, network::Sum weight) {
                          ring.add(step, neuron, weight);
                        });
}

void PointRange::advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
                         std::span<const SampleBuffer> samples, std::span<double>) {
  if (has_plasticity_)
    advance_together(epoch, spikes, samples);
  else
    groups_[group]->advance(epoch, inputs_, grid_, step_inputs_, spikes, samples);
}

void PointRange::advance_together(Epoch epoch, std::vector<network::CellSpike>& spikes,
                                  std::span<const SampleBuffer> samples) {
  const network::InputRingView ring = inputs_.view();
  for (const auto& group : groups_) group->begin(epoch);
  for (std::int64_t step = epoch.first; step < epoch.last; ++step) {
    for (PlasticTable& table : plastic_tables_) table.arrive(step, ring);
    for (const auto& group : groups_) {
      const std::size_t before = spikes.size();
      group->advance_to(step + 1, inputs_, grid_, step_inputs_, spikes, samples);
      for (std::size_t s = before; s < spikes.size(); ++s)
        for (PlasticTable& table : plastic_tables_)
          table.add_target_spike(group->neuron_of(spikes[s].cell),
                                 network::arrival_step(spikes[s].time_ms, run_.dt_ms));
    }
    for (PlasticTable& table : plastic_tables_) table.end_step(step + 1);
    sample_weights(step + 1, samples);
  }
  now_ = epoch.last;
}

void PointRange::sample_weights(std::int64_t step, std::span<const SampleBuffer> samples) {
  for (WeightReport& report : weight_reports_) {
    const std::int64_t sample = run_.samples[report.report].sample_at(step);
    if (sample < 0) continue;
    double* const to = samples[report.report].row(sample);
    std::vector<std::size_t> column = report.columns;  // of each neuron the next one
    report.table->each_weight(
        step, [&](std::uint32_t neuron, double weight) { to[column[neuron]++] = weight; });
  }
}

void PointRange::walk(StateWalk& state) {
  walk_groups(state, population_->name, groups_);
  trains_.walk(state);
  for (PlasticTable& table : plastic_tables_) table.walk(state, now_);
}

void PointRange::resume_at(const network::Resumed& at) {
  resumed_at_ = at.step;
  for (PlasticTable& table : plastic_tables_) table.resume_at(at.step);
}

std::size_t PointRange::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& group : groups_) bytes += group->bytes();
  return bytes;
}

std::size_t PointRange::connection_bytes() const {
  std::size_t bytes = inputs_.bytes() + trains_.bytes();
  for (const network::FanInTable& table : projections_) bytes += table.connections.bytes();
  for (const network::FanInTable& table : stimuli_) bytes += table.connections.bytes();
  for (const network::SynapseTable& table : tables_) bytes += table.bytes();
  for (const PlasticTable& table : plastic_tables_) bytes += table.bytes();
  return bytes;
}

}  // namespace hillock::simulator::cpu
