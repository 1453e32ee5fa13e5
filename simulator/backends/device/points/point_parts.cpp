#include "simulator/backends/device/points/point_parts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

PointPart part_of(RangePlan plan, const RunConstants& run, const begin::Beginner& beginner) {
  PointPart part;
  part.projections = std::move(plan.projections);
  part.stimuli = std::move(plan.stimuli);
  part.step_inputs = std::move(plan.step_inputs);
  part.recorded_weights = std::move(plan.recorded_weights);
  part.trains = network::Trains(std::move(plan.driven));
  part.begun = beginner.points(plan, run);
  return part;
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
  for (const PointPart& part : parts) numbers.append(part.begun.columns[variable]);
  return numbers;
}

void PointPopulation::put_column(std::size_t variable, std::span<const double> numbers) {
  for (PointPart& part : parts)
    part.begun.columns[variable] =
        OneOrMany(numbers.subspan(part.first_neuron, part.begun.indices.size()));
}

std::vector<begin::RecordedNumber> PointPopulation::recorded() const {
  std::vector<begin::RecordedNumber> all;
  for (const PointPart& part : parts)
    for (begin::RecordedNumber number : part.begun.recorded) {
      number.neuron += part.first_neuron;
      all.push_back(number);
    }
  return all;
}

std::vector<PointPopulation> lay_out_points(NetworkPlan& plan, std::span<const std::size_t> ranges,
                                            Crew& crew, const EngineOptions& options) {
  std::vector<PointPart> parts(ranges.size());
  crew.work([&](std::size_t r) {
    parts[r] = part_of(make_range(plan, ranges[r], *options.activity), plan.run, *options.beginner);
  });
  std::vector<PointPopulation> result;
  for (PointPart& part : parts) {
    if (result.empty() || result.back().plan != part.begun.population)
      result.push_back({part.begun.population, part.begun.mechanism, 0, {}, {}});
    PointPopulation& population = result.back();
    part.first_neuron = population.neurons;
    for (const std::uint64_t index : part.begun.indices)
      population.indices.push_back(static_cast<std::uint32_t>(index));
    population.neurons = static_cast<std::uint32_t>(population.indices.size());
    population.parts.push_back(std::move(part));
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
