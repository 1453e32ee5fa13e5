#pragma once
// The point neurons of a plan, made ready for a device on the host: their variables at t = 0, their
// connections, what stimuli give them, what is recorded.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/propagation/input_ring.hpp"
#include "network/propagation/synapse_table.hpp"
#include "network/trains.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/begin/begun_points.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/plasticity/plastic_synapses.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

/// The neurons of one range: they stand on the host while the device runs them, for what is saved
/// and restored.
struct PointPart {
  std::uint32_t first_neuron = 0;  ///< of its population, among those that are here
  std::vector<network::FanInTable> projections, stimuli;
  std::vector<StepInput> step_inputs;
  std::vector<RecordedWeights> recorded_weights;
  begin::BegunPoints begun;  ///< with the variables as they were fetched last
  network::Trains trains;
};

/// The neurons of one population that are here.
struct PointPopulation {
  std::shared_ptr<const PopulationPlan> plan;
  const mechanisms::Mechanism* mechanism = nullptr;
  std::uint32_t neurons = 0;
  std::vector<std::uint32_t> indices;  ///< [neuron] in the population, rising
  std::vector<PointPart> parts;        ///< by neuron

  std::size_t channels() const { return mechanism->info->negative_input < 0 ? 1 : 2; }
  /// How many of the run's steps after the beginning of the one with which its step ends the spikes
  /// of that have their time: 1 where they have that of the end, less where that of the beginning.
  int delay_of_time() const {
    return mechanism->info->spikes_at_beginning ? 1 - static_cast<int>(plan->step.run_steps) : 1;
  }
  /// Whether a spike may have to be there in the very step after the one that made it.
  bool spikes_are_early() const { return delay_of_time() < 1; }
  /// A variable of all its neurons; one number where it is one for all. Of states always all.
  OneOrMany column(std::size_t variable) const;
  /// Puts a variable of all neurons where the host has it.
  void put_column(std::size_t variable, std::span<const double> numbers);
  /// What is recorded, by neuron of the population, when columns are counted through the reports.
  std::vector<begin::RecordedNumber> recorded() const;
};

/// The one with that number in the network, or null where none of its neurons is here.
const PointPopulation* find_population(const std::vector<PointPopulation>& populations,
                                       PopulationId id);

/// Has ranges of the plan made, those of point neurons, and lays them out. crew: has a piece a
/// range. Throws InvalidModel.
std::vector<PointPopulation> lay_out_points(NetworkPlan& plan, std::span<const std::size_t> ranges,
                                            Crew& crew, const EngineOptions& options);

/// The plastic connections onto a population, projection by projection; the parts' are forgotten.
struct PlasticConnections {
  std::uint32_t projection = 0;
  PlasticSynapses synapses;
};
std::vector<PlasticConnections> join_plastic(PointPopulation& population, const RunConstants& run);

/// The other connections onto a population, a table a projection, and how the sums are counted that
/// they add to. The parts' connections are forgotten.
std::vector<network::SynapseTable> join_connections(PointPopulation& population,
                                                    const RunConstants& run,
                                                    const network::SumGrid& grid,
                                                    const network::Runner& runner);

}  // namespace hillock::simulator::on_device
