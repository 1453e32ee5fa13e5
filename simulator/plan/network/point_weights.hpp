#pragma once
// What is to be known of all weights onto point neurons before any is added up, and which of them
// cannot be added up together.

#include <cstdint>
#include <utility>
#include <vector>

#include "models/network.hpp"

namespace hillock::simulator {

struct RangePlan;

/// The largest weights, as absolute values, onto point neurons, whose inputs are added up: the same
/// on all ranks.
struct PointWeights {
  std::vector<double> of_projection;  ///< [projection of the model]
  std::vector<double> of_stimulus;    ///< [stimulus of the model]
  std::vector<double> onto_population;

  PointWeights() = default;
  explicit PointWeights(const models::Network& network)
      : of_projection(network.projections.size()),
        of_stimulus(network.stimuli.size()),
        onto_population(network.populations.size()) {}

  double onto(PopulationId population) const {
    return population.value < onto_population.size() ? onto_population[population.value] : 0;
  }
};

/// Those onto the cells of one range of point neurons.
struct RangeWeights {
  /// Numbers in the model, and the largest weight of each.
  std::vector<std::pair<std::uint32_t, double>> of_projections, of_stimuli;

  void add_to(PointWeights& all, PopulationId population) const;
};

/// Throws InvalidModel where more connections reach a neuron than can be added up.
RangeWeights find_largest_weights(const models::Network& network, const RangePlan& range);

/// Throws InvalidModel where a projection's or a stimulus's weights are too small to be added up
/// with the largest onto their neurons.
void check_point_weights(const models::Network& network, const PointWeights& weights);

}  // namespace hillock::simulator
