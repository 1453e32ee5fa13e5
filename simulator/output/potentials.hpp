#pragma once
// Potentials outside cells: sums over all cells of what an engine's currents do at contacts. Sums
// are exact (core/simd/exact_sum.hpp), so that no order of cells, threads or ranks is theirs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/report.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator {

/// One report's, of the cells of this rank.
class PotentialSums {
 public:
  /// The plan must live as long. reports: of which it is one; their columns are the currents'.
  PotentialSums(const PotentialPlan& plan, const std::vector<models::ReportLayout>& reports);

  std::size_t report() const { return plan_->report; }
  std::size_t contacts() const { return plan_->of->contacts.size(); }

  /// Takes the currents of so many samples, [sample][column] nA. They may wait for more.
  void add(std::vector<double> currents, std::size_t samples, int threads);
  /// Takes what an engine has made of currents: of samples, [sample][sums_size()] mV.
  void add_sums(std::vector<double> sums);
  /// What was added since, [sample][sums_size()] mV.
  std::vector<double> take(int threads);
  /// Memory that held currents, or none.
  std::vector<double> used_currents();

  /// All ranks' sums as [sample][contact] mV.
  static std::vector<double> values_of(const std::vector<double>& sums, std::size_t contacts);

 private:
  void multiply(int threads);

  const PotentialPlan* plan_;
  std::size_t columns_ = 0;
  std::vector<std::size_t> first_;  ///< [cell] its first column
  struct Currents {
    std::vector<double> numbers;  ///< [sample][column]
    std::size_t samples = 0;
  };
  std::vector<Currents> waiting_;
  std::vector<std::vector<double>> used_;  ///< their memory
  std::size_t waiting_samples_ = 0;
  std::vector<double> sums_;
};

/// What a rank has of a report of potentials between its engine and the sink.
struct PotentialBytes {
  double map = 0;       ///< from currents to potentials
  double currents = 0;  ///< of an epoch, and those that wait for a product; and sums
};
PotentialBytes potential_bytes(double columns, std::size_t contacts, double rows_an_epoch,
                               double rows_of_run, int threads);

/// What a report of potentials holds, instead of the currents that its layout in the plan is of.
models::ReportLayout layout_of_potential(const models::ReportLayout& currents,
                                         std::shared_ptr<const models::Potential> potential);

}  // namespace hillock::simulator
