#pragma once
// What the cells of a network come to, told from some of each population that stand for all.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator {

/// What a cell of a population comes to, in the mean.
struct MeanOfCells {
  double compartments = 0;
  double state_bytes = 0;
  double kind_bytes = 0;
  double groups = 0;
  double group_bytes = 0;  ///< of one group of such cells
};

/// A cell, of a plan that has it alone.
struct CellAlone {
  NetworkPlan plan;
  RangePlan range;
};

/// All of it throws InvalidModel.
class SampledCells {
 public:
  /// The network and the mechanisms must live as long.
  SampledCells(const models::Network& network, const mechanisms::Registry& mechanisms, int threads);

  /// Of a few cells the mean.
  double compartments_a_cell(PopulationId population);
  /// Lays out so many cells, and counts the columns that reports have of them. longest_onto_ms:
  /// [population] delays.
  MeanOfCells mean_of(PopulationId population, std::uint64_t number,
                      const std::vector<double>& longest_onto_ms);
  /// The first of a slice.
  CellAlone first_of(const models::PopulationSlice& slice);
  /// How many synapses a train drives on one of its cells.
  double synapses_a_cell(const models::Stimulus& stimulus);

  /// Recordings of a variable.
  const std::vector<const models::Recording*>& reports() const { return reports_; }
  /// Of a cell that the report is of, when its population's mean is known.
  double columns_a_cell(std::size_t report) const { return columns_[report]; }

 private:
  NetworkPlan plan_of(PopulationId population, const network::CellSet& cells);
  double columns_of(PopulationId population, const models::Recording& recording,
                    const network::CellSet& cells, std::size_t number,
                    const models::ReportLayout& layout);
  double columns_of_few(PopulationId population, const models::Recording& recording,
                        std::size_t number);

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  int threads_;
  Activity unwatched_;
  std::shared_ptr<const OfPopulations> of_;
  std::vector<std::unique_ptr<network::Placement>> some_;  ///< plans refer to them
  std::vector<const models::Recording*> reports_;
  std::vector<double> columns_;                                                ///< [report]
  std::map<std::pair<std::string, std::uint32_t>, double> columns_of_record_;  ///< of few cells
};

}  // namespace hillock::simulator
