#include "simulator/backends/cpu/point_range.hpp"

#include <algorithm>
#include <utility>

#include "network/propagation/driven_inputs.hpp"
#include "simulator/backends/cpu/range_groups.hpp"

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
  groups_ = make_point_groups(plan, lanes, run_);
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
    const network::SynapsePart part{&table, 0};
    tables_.emplace_back(std::span(&part, 1), neurons_, step(), grid_,
                         run_.weights.of_projection[table.projection], 16, network::one_by_one);
    table = {};
    longest = std::max(longest, tables_.back().longest_steps());
  }
  projections_ = {};
  inputs_.reach(0, longest);
}

void PointRange::start(std::vector<network::CellSpike>&, std::span<const SampleBuffer> samples) {
  for (const auto& group : groups_) {
    group->initialise();
    group->sample_start(samples);
  }
}

void PointRange::receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) {
  const network::InputRingView ring = inputs_.view();
  for (const network::SynapseTable& table : tables_)
    for (const auto& some : arriving)
      table.pass(some, run_.dt_ms, step().ended_by(resumed_at_), ring);
  network::drive_inputs(trains_, stimuli_, grid_, step().ended_by(epoch.first),
                        step().ended_by(epoch.last), step().ms,
                        [&](std::int64_t step, std::uint32_t neuron, network::Sum weight) {
                          ring.add(step, neuron, weight);
                        });
}

void PointRange::advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
                         std::span<const SampleBuffer> samples, std::span<double>) {
  groups_[group]->advance(epoch, inputs_, grid_, step_inputs_, spikes, samples);
}

void PointRange::walk(StateWalk& state) {
  walk_groups(state, population_->name, groups_);
  trains_.walk(state);
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
  return bytes;
}

}  // namespace hillock::simulator::cpu
