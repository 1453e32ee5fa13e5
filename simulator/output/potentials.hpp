#pragma once
// Potentials outside cells: sums over all cells of what an engine's currents do at contacts. Sums
// are exact (core/simd/exact_sum.hpp), so that no order of cells, threads or ranks is theirs. Or
// what each cell's do, in columns of its own.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/containers/unset_allocator.hpp"
#include "core/state/state_walk.hpp"
#include "models/report.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator {

/// Membrane currents, [sample][column] nA. What holds them is first written by whoever computes
/// them, on all threads.
using CurrentRows = UnsetVector<double>;

/// One report's, of the cells of this rank.
class PotentialSums {
 public:
  /// The plan must live as long. reports: of which it is one; their columns are the currents'.
  PotentialSums(const PotentialPlan& plan, const std::vector<models::ReportLayout>& reports);

  const PotentialPlan& plan() const { return *plan_; }
  std::size_t report() const { return plan_->report; }
  std::size_t contacts() const { return plan_->of->size(); }

  /// Takes the next rows of currents, [row][column] nA: of samples or, of means, of steps. They may
  /// wait for more.
  void add(CurrentRows currents, std::size_t rows, int threads);
  /// Takes what an engine has made of currents: of samples, [sample][sums_size()] mV.
  void add_sums(const std::vector<double>& sums);
  /// What was added since, [sample][sums_size()] mV or, of cells by themselves, [sample][column].
  std::vector<double> take(int threads);
  /// What take() will give of cells by themselves, in bytes, when so many rows more have been
  /// added, but for those that wait for more.
  std::size_t bytes_by_cell(std::size_t rows) const;
  /// Memory that held currents, or none.
  CurrentRows used_currents();

  /// Saves and restores what is behind the last sample, when so many steps are done.
  void walk(StateWalk& walk, std::int64_t step);

  /// All ranks' sums as [sample][contact] mV.
  static std::vector<double> values_of(const std::vector<double>& sums, std::size_t contacts);

 private:
  struct Currents {
    CurrentRows numbers;
    std::size_t samples = 0;
  };
  Currents means_of(const CurrentRows& rows, std::size_t count, int threads);
  void multiply(int threads);
  void add_sums_of(const std::vector<const double*>& currents, int threads);
  void append_cells(const std::vector<const double*>& currents, int threads);

  const PotentialPlan* plan_;
  std::string population_;
  std::string state_name_;
  std::vector<std::uint64_t> cells_;  ///< of which the columns are; rising
  std::size_t columns_ = 0;
  std::vector<std::size_t> first_;  ///< [cell] its first column
  std::int64_t next_step_ = 0;      ///< of means: the next row's
  std::size_t held_ = 0;            ///< steps since the last sample
  std::vector<double> sum_;         ///< [column] over these
  std::vector<Currents> waiting_;
  std::vector<CurrentRows> used_;  ///< their memory
  std::size_t waiting_samples_ = 0;
  std::vector<double> sums_;  ///< or columns of cells
};

/// What a rank has of a report of potentials between its engine and the sink.
struct PotentialBytes {
  double map = 0;       ///< from currents to potentials
  double currents = 0;  ///< of an epoch, and those that wait for a product; and sums
};
struct PotentialSize {
  double columns = 0;  ///< of currents
  std::size_t contacts = 0;
  double samples_an_epoch = 0, samples_of_run = 0;
  double steps_an_epoch = 0;  ///< of means
  double cells = 0;           ///< of cells by themselves
};
PotentialBytes potential_bytes(const PotentialSize& size, int threads);

/// Bytes that currents of an epoch may take, where samples may take `room`: a product reads all of
/// a map, so that half of what that takes is little.
double room_for_currents(double room, double columns, std::size_t contacts);

/// What a report of potentials holds, instead of the currents that its layout in the plan is of.
models::ReportLayout layout_of_potential(const models::ReportLayout& currents,
                                         const PotentialPlan& potential);

}  // namespace hillock::simulator
