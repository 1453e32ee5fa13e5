#pragma once
// Point neurons in device memory, and the lists by which kernels find them, their connections, what
// stimuli give them and what is recorded of them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/propagation/input_ring.hpp"
#include "simulator/backends/device/delivery/sampled_rows.hpp"
#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/device/points/plastic_program.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/backends/device/points/point_tables.hpp"

namespace hillock::simulator::on_device {

class PointMemory {
 public:
  /// Everything outlives this.
  PointMemory(std::vector<PointPopulation>& populations, const NetworkPlan& plan,
              const EngineOptions& options, DeviceMemory& memory);

  /// The mechanisms of the neurons, each once.
  const std::vector<const mechanisms::Mechanism*>& kinds() const { return kinds_; }
  std::size_t neurons() const;
  /// Whether a cell is one of the neurons. population: its number in the network.
  bool is_own(unsigned population, std::uint64_t cell) const;

  /// Takes all memory and puts everything onto the device but variables.
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
               SynapseOrder order);
  /// The neurons' variables go to the device, or come from there, when nothing runs there.
  void put_variables();
  void fetch_variables();

  /// What kernels are given, after prepare().
  const PointNetwork& network() const { return network_; }
  /// Addresses of the arrays of every kind.
  const std::vector<std::uint64_t>& kinds_argument() const { return kinds_argument_; }
  /// What a block brings near of the network's lists, in words.
  unsigned near_words() const { return near_words_; }

  /// Memory for the spikes of an epoch, as PointNetwork::log has it.
  PointSpike* take_log(std::size_t spikes);

  const PointTables& tables() const { return tables_; }
  PlasticProgram& plastic() { return plastic_; }
  const PlasticProgram& plastic() const { return plastic_; }
  /// [population of the network]
  const std::vector<PointSource>& sources() const { return sources_; }
  const network::InputRingView& inputs(std::size_t p) const { return here_[p].inputs; }
  const network::SumGrid& grid(std::size_t p) const { return here_[p].grid; }
  SampledRows& rows() { return rows_; }

 private:
  /// A population in device memory.
  struct Population {
    unsigned kind = 0, place = 0;             ///< which mechanism, and which of its populations
    std::vector<DeviceView<double>> columns;  ///< [variable], empty where it is one for all
    std::vector<double> ones;
    DeviceView<unsigned> indices;
    DeviceView<network::Sum> sums;
    unsigned first_draw = 0, draws = 0;  ///< of draws_
    network::InputRingView inputs;
    network::SumGrid grid;
    bool is_whole = false;  ///< neuron n is cell n of the population
  };

  void find_kinds();
  void take_outlets();
  void put_inputs(std::size_t p, std::int64_t epoch_steps, SynapseOrder order);
  void put_plastic(std::size_t p, PlasticConnections connections);
  void put_period(const StepPeriod& period, PointDraws& draws);
  void put_draws(std::size_t p);
  const PointCurrent* put_current(const InjectedCurrent& current);
  template <class Number, class Host>
  OneOrAll<Number> put_numbers(const Host& numbers);
  void take_columns();
  void put_sources();
  void put_lists(const std::vector<PointPiece>& pieces);
  void put_samples();
  void put_tasks();
  std::string bytes_of_arrays(std::size_t p) const;

  std::vector<PointPopulation>& populations_;
  const NetworkPlan& plan_;
  network::Runner runner_;
  DeviceMemory& memory_;
  std::vector<const mechanisms::Mechanism*> kinds_;
  std::vector<Population> here_;    ///< [population]
  std::vector<unsigned> place_of_;  ///< [population of the network] in here_; nowhere
  PointTables tables_;
  PlasticProgram plastic_;
  std::vector<PointDraws> draws_;
  std::vector<double> thresholds_;
  std::vector<PointSource> sources_;
  PointNetwork network_{};
  std::vector<std::uint64_t> kinds_argument_;
  unsigned near_words_ = 0;
  SampledRows rows_;
};

}  // namespace hillock::simulator::on_device
