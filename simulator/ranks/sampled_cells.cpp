#include "simulator/ranks/sampled_cells.hpp"

#include <algorithm>

#include "simulator/backends/cpu/cpu_engine.hpp"
#include "simulator/plan/network/expected_projections.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

/// Some cells of one population stand for all.
class SomeCells final : public network::Placement {
 public:
  SomeCells(PopulationId population, network::CellSet cells)
      : population_(population), cells_(cells) {}
  network::CellSet cells_of(PopulationId population, int) const override {
    return population == population_ ? cells_ : network::CellSet{};
  }

 private:
  PopulationId population_;
  network::CellSet cells_;
};

/// About `number` cells, as far apart as they can be.
network::CellSet spread(std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
  if (begin == end || number == 0) return {};
  const std::uint64_t stride = std::max<std::uint64_t>(1, (end - begin) / number);
  return {begin, end, stride};
}

}  // namespace

SampledCells::SampledCells(const models::Network& network, const mechanisms::Registry& mechanisms,
                           int threads)
    : network_(network),
      mechanisms_(mechanisms),
      threads_(threads),
      of_(std::make_shared<const OfPopulations>(network)) {
  for (const models::Recording& recording : network.recordings)
    if (recording.variable) reports_.push_back(&recording);
  columns_.resize(reports_.size());
}

NetworkPlan SampledCells::plan_of(PopulationId population, const network::CellSet& cells) {
  some_.push_back(std::make_unique<SomeCells>(population, cells));
  return outline_network(
      network_, mechanisms_,
      {some_.back().get(), threads_, Connections::left_out, &unwatched_, {}, population, of_});
}

double SampledCells::compartments_a_cell(PopulationId population) {
  const std::uint64_t size = network_.populations[population.value].size;
  if (size == 0) return 0;
  const network::CellSet some = spread(0, size, std::min<std::uint64_t>(size, 64));
  return static_cast<double>(plan_of(population, some).compartments) /
         static_cast<double>(some.size());
}

MeanOfCells SampledCells::mean_of(PopulationId population, std::uint64_t number,
                                  const std::vector<double>& longest_onto_ms) {
  MeanOfCells mean;
  const std::uint64_t size = network_.populations[population.value].size;
  if (size == 0) return mean;
  const network::CellSet cells = spread(0, size, number);
  NetworkPlan plan = plan_of(population, cells);
  const auto engine = cpu::make_engine(plan, {threads_, &unwatched_});
  complete(plan);
  plan.run.longest_onto_ms = longest_onto_ms;
  engine->prepare(1, plan.reports);
  const EngineReport report = engine->report();
  const auto laid_out = static_cast<double>(cells.size());
  mean.compartments = static_cast<double>(plan.compartments) / laid_out;
  mean.state_bytes = static_cast<double>(report.state_bytes + report.connection_bytes) / laid_out;
  mean.groups = static_cast<double>(report.groups) / laid_out;
  mean.group_bytes = static_cast<double>(report.state_bytes) /
                     static_cast<double>(std::max<std::size_t>(1, report.groups));
  for (const RangeMade& made : plan.made)
    mean.kind_bytes += static_cast<double>(made.kind_bytes) / laid_out;
  const std::vector<std::uint32_t>& recordings = of_->recordings[population.value];
  for (std::size_t i = 0; i < recordings.size(); ++i)
    columns_[of_->report_of[recordings[i]]] =
        columns_of(population, network_.recordings[recordings[i]], cells, i, plan.reports[i]);
  return mean;
}

/// Of a recorded cell, by the population's `number`-th recording; where none of those that were
/// laid out is recorded, a few that are.
double SampledCells::columns_of(PopulationId population, const models::Recording& recording,
                                const network::CellSet& cells, std::size_t number,
                                const models::ReportLayout& layout) {
  if (recording.of.size() == 0) return 0;
  if (recording.variable->kind == models::RecordedVariable::Kind::weight)
    return expected_weights(network_, recording) / static_cast<double>(recording.of.size());
  const std::uint64_t recorded = cells.within(recording.of.begin, recording.of.end).size();
  if (recorded > 0)
    return static_cast<double>(layout.element_ids.size()) / static_cast<double>(recorded);
  // Of a record of many slices one stands for all.
  const auto [known, is_new] =
      columns_of_record_.try_emplace({recording.name, population.value}, 0.0);
  if (is_new) known->second = columns_of_few(population, recording, number);
  return known->second;
}

double SampledCells::columns_of_few(PopulationId population, const models::Recording& recording,
                                    std::size_t number) {
  const network::CellSet few = spread(recording.of.begin, recording.of.end, 16);
  NetworkPlan plan = plan_of(population, few);
  Activity unwatched;
  for (std::size_t r = 0; r < plan.ranges.size(); ++r) make_range(plan, r, unwatched);
  complete(plan);
  return static_cast<double>(plan.reports[number].element_ids.size()) /
         static_cast<double>(few.size());
}

CellAlone SampledCells::first_of(const models::PopulationSlice& slice) {
  CellAlone first{plan_of(slice.population, {slice.begin, slice.begin + 1}), {}};
  first.range.population = first.plan.populations[slice.population.value];
  first.range.indices = {slice.begin};
  first.range.kinds = first.plan.cells->kinds_of(*first.range.population, first.range.indices);
  return first;
}

double SampledCells::synapses_a_cell(const models::Stimulus& stimulus) {
  const auto* events = std::get_if<models::EventSource>(&stimulus.kind);
  const models::PopulationSlice& to = stimulus.to;
  if (!events || to.size() == 0) return 0;
  if (mechanism_of_cells(network_, to.population)) return 1;
  const CellAlone first = first_of(to);
  RandomStream draws(network_.run.seed, Purpose::location, {});
  return static_cast<double>(
      solver::resolve(*first.range.kinds.front()->cell, events->synapse.at, draws).size());
}

}  // namespace hillock::simulator
