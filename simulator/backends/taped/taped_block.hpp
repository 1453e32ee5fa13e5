#pragma once
// The instances of one mechanism of a taped cell: their variables, and derivatives by these.

#include <cstddef>
#include <vector>

#include "core/simd/lane_array.hpp"
#include "mechanisms/adjoint_block.hpp"
#include "mechanisms/catalogue.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/step/cell_step.hpp"

namespace hillock::simulator::taped {

/// What is kept of an ion, by row; empty where there is no such value.
struct Ion {
  std::vector<double> current_mA_per_cm2, reversal_mV, inside_mM, outside_mM;

  std::vector<double>& of(mechanisms::SharedQuantity quantity);
};

/// Variables of one mechanism's instances, a column each. Of a density mechanism's as many as fill
/// registers, so that some stand for others.
class Columns {
 public:
  Columns(const mechanisms::MechanismInfo& info, std::size_t count)
      : info_(&info), count_(count), numbers_(static_cast<std::size_t>(info.count()) * count) {}

  double* of(int c) { return numbers_.data() + begin_of(c); }
  const double* of(int c) const { return numbers_.data() + begin_of(c); }
  /// The first columns are the states'.
  double* states() { return numbers_.data(); }
  std::size_t states_size() const { return static_cast<std::size_t>(info_->states) * count_; }
  std::size_t size() const { return numbers_.size(); }
  std::size_t count() const { return count_; }
  /// As the mechanism's loops take them.
  mechanisms::InstanceBlock view(const int* rows, const double* area_factors);

 private:
  std::size_t begin_of(int c) const {
    const int state = c - info_->first_state();
    return static_cast<std::size_t>(state >= 0 ? state : info_->states + c) * count_;
  }

  const mechanisms::MechanismInfo* info_;
  std::size_t count_;
  LaneArray numbers_;
};

/// A variable that the instances share with their location, where that keeps it.
struct Tie {
  mechanisms::SharedQuantity quantity;
  std::size_t ion;
  int seen, derivative;        ///< columns of the adjoint
  bool adds, sets;             ///< mechanisms::Coupling
  bool is_set_before = false;  ///< in a step, by an earlier one, which it sees
};

/// Where an adjoint has what it sees of its mechanism, and derivatives by that: columns of it, or
/// -1.
struct AdjointColumns {
  AdjointColumns(const mechanisms::MechanismInfo& info, const mechanisms::MechanismInfo& back_info);

  std::vector<int> seen, derivatives;  ///< [variable]
  int of_i, of_g, of_v, of_weight;
};

struct TapedBlock : AdjointColumns {
  /// adjoint: of its mechanism. ions: of the cell.
  TapedBlock(const begin::BegunBlock& begun, const mechanisms::Mechanism& adjoint,
             const std::vector<begin::BegunIon>& ions, std::vector<Ion>& kept);

  std::size_t count() const { return begun.rows.size(); }
  std::size_t row(std::size_t i) const { return static_cast<std::size_t>(begun.rows[i]); }
  /// Calls body(instance, row) for all of them.
  template <class Body>
  void for_rows(const Body& body) const {
    for (const Stretch& some : stretches)
      for (std::size_t k = 0; k < some.count; ++k) body(some.instance + k, some.row + k);
  }
  /// How many numbers may change during a run: of the columns the first ones.
  std::size_t lasting_size() const {
    // Events may change whatever an instance has.
    return info.receives_events ? columns.size() : columns.states_size();
  }
  /// Lets the adjoint see these, laid out like them, until others are shown.
  void show(const double* lasting);
  /// The same of all variables of one instance. values: [variable]
  void show(std::size_t i, const double* values);

  const begin::BegunBlock& begun;
  const mechanisms::MechanismInfo& info;
  step::Turn states, current;
  bool is_whole = false;  ///< its adjoint undoes states and the current behind them at once
  /// Instances whose rows are side by side, as they are.
  struct Stretch {
    std::size_t instance, row, count;
  };
  std::vector<Stretch> stretches;
  std::size_t held;               ///< instances in columns
  std::vector<int> nodes;         ///< [instance of columns]
  std::vector<double> areas;      ///< likewise, or empty
  std::vector<double> into_rows;  ///< likewise: what makes its current that of its row
  Columns columns;
  const mechanisms::CpuKernels& kernels;
  mechanisms::InstanceBlock view;
  std::vector<double*> shared;  ///< InstanceBlock::shared
  std::vector<Tie> ties;

  const mechanisms::MechanismInfo& back_info;
  Columns back;
  const mechanisms::CpuKernels& back_kernels;
  mechanisms::AdjointBlock back_view;

  /// Begins the run, backwards: back has what the adjoint keeps of it.
  void begin_back();
  /// Lets the adjoint take what its currents are derived by from rows, or null, from its columns;
  /// likewise _voltage.
  void flow_in(mechanisms::AdjointRows* rows);

 private:
  std::vector<double*> places_;     ///< AdjointBlock
  std::vector<std::size_t> masks_;  ///< likewise
};

}  // namespace hillock::simulator::taped
