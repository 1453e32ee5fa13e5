#include "simulator/backends/device/points/point_parts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

constexpr int lanes_of_groups = 8;

PointPart part_of(RangePlan plan, const RunConstants& run) {
  PointPart part;
  part.indices = plan.indices;
  part.projections = std::move(plan.projections);
  part.stimuli = std::move(plan.stimuli);
  part.step_inputs = std::move(plan.step_inputs);
  part.recorded_weights = std::move(plan.recorded_weights);
  part.trains = network::Trains(std::move(plan.driven));
  part.groups = cpu::make_point_groups(plan, lanes_of_groups, run);
  return part;
}

/// Calls body(group, its first neuron of the population).
template <class Body>
void each_group(const std::vector<PointPart>& parts, const Body& body) {
  for (const PointPart& part : parts) {
    std::uint32_t first = part.first_neuron;
    for (const auto& group : part.groups) {
      body(*group, first);
      first += static_cast<std::uint32_t>(group->layout().indices.size());
    }
  }
}

/// Calls body(all parts' connections of one projection) for each that is plastic or not, and
/// forgets them.
template <class Body>
void each_projection(PointPopulation& population, const RunConstants& run, bool plastic,
                     const Body& body) {
  for (std::size_t k = 0; k < population.parts.front().projections.size(); ++k) {
    const std::uint32_t projection = population.parts.front().projections[k].projection;
    if ((run.stdp[projection] != nullptr) != plastic) continue;
    std::vector<network::SynapsePart> parts;
    for (const PointPart& part : population.parts)
      parts.push_back({&part.projections[k], part.first_neuron});
    body(projection, parts);
    for (PointPart& part : population.parts) part.projections[k].connections = {};
  }
}

}  // namespace

OneOrMany PointPopulation::column(std::size_t variable) const {
  OneOrMany numbers;
  each_group(parts, [&](cpu::PointGroup& group, std::uint32_t) {
    const cpu::MechanismBlock& block = group.block();
    for (std::size_t n = 0; n < group.layout().indices.size(); ++n)
      numbers.push_back(block.columns[block.index_of(group.layout().width(), variable, n)]);
  });
  return numbers;
}

void PointPopulation::put_column(std::size_t variable, std::span<const double> numbers) {
  each_group(parts, [&](cpu::PointGroup& group, std::uint32_t first) {
    cpu::MechanismBlock& block = group.block();
    for (std::size_t n = 0; n < group.layout().indices.size(); ++n)
      block.columns[block.index_of(group.layout().width(), variable, n)] = numbers[first + n];
  });
}

std::vector<PointPopulation> lay_out_points(NetworkPlan& plan, std::span<const std::size_t> ranges,
                                            Crew& crew, Activity& activity) {
  std::vector<PointPart> parts(ranges.size());
  std::vector<std::shared_ptr<const PopulationPlan>> populations(ranges.size());
  std::vector<const mechanisms::Mechanism*> kinds(ranges.size());
  crew.work([&](std::size_t r) {
    RangePlan range = make_range(plan, ranges[r], activity);
    populations[r] = range.population;
    kinds[r] = range.points.front().mechanism;
    parts[r] = part_of(std::move(range), plan.run);
  });
  std::vector<PointPopulation> result;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    if (result.empty() || result.back().plan != populations[r])
      result.push_back({populations[r], kinds[r], 0, {}, {}});
    PointPopulation& population = result.back();
    parts[r].first_neuron = population.neurons;
    for (const std::uint64_t index : parts[r].indices)
      population.indices.push_back(static_cast<std::uint32_t>(index));
    population.neurons = static_cast<std::uint32_t>(population.indices.size());
    population.parts.push_back(std::move(parts[r]));
  }
  for (const PointPopulation& population : result)
    if (!std::ranges::is_sorted(population.indices))
      throw std::logic_error("point neurons are not in the order of their indices");
  return result;
}

const PointPopulation* find_population(const std::vector<PointPopulation>& populations,
                                       PopulationId id) {
  const auto found =
      std::ranges::find(populations, id, [](const auto& some) { return some.plan->id; });
  return found == populations.end() ? nullptr : &*found;
}

std::vector<RecordedNumber> recorded_of(const PointPopulation& population) {
  std::vector<RecordedNumber> recorded;
  each_group(population.parts, [&](cpu::PointGroup& group, std::uint32_t first) {
    const cpu::GroupLayout& layout = group.layout();
    for (const cpu::SampledColumn& sample : layout.samples) {
      RecordedNumber& number = recorded.emplace_back();
      number.neuron = first + sample.cell;
      number.recording = sample.recording;
      number.column = sample.column;
      number.factor = 0;
      if (sample.terms == 0) continue;
      const cpu::SampledTerm& term = layout.terms[sample.first_term];
      number.factor = term.factor;
      number.variable = group.variable_at(term);
    }
  });
  return recorded;
}

std::vector<PlasticConnections> join_plastic(PointPopulation& population, const RunConstants& run) {
  std::vector<PlasticConnections> all;
  each_projection(population, run, true, [&](std::uint32_t projection, const auto& parts) {
    all.push_back({projection, PlasticSynapses(parts, population.plan->step)});
  });
  return all;
}

std::vector<network::SynapseTable> join_connections(PointPopulation& population,
                                                    const RunConstants& run,
                                                    const network::SumGrid& grid,
                                                    const network::Runner& runner) {
  std::vector<network::SynapseTable> tables;
  each_projection(population, run, false, [&](std::uint32_t projection, const auto& parts) {
    tables.emplace_back(parts, population.neurons, population.plan->step, grid,
                        run.weights.of_projection[projection], 32, runner);
  });
  for (PointPart& part : population.parts) part.projections = {};
  return tables;
}

}  // namespace hillock::simulator::on_device
