#pragma once
// What a group's instances share with their locations: the arrays of ions that change, the
// addresses behind POINTERs.

#include <deque>
#include <utility>
#include <vector>

#include "mechanisms/kernels.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

class SharedViews {
 public:
  /// group: must outlive this, and its arrays stay where they are. Where voltages are is told by
  /// follow(), before anything runs.
  explicit SharedViews(GroupLayout& group);

  /// Ties block b's loops to what its instances share with their locations.
  void attach(std::size_t b, mechanisms::InstanceBlock& view) const;
  /// Whether a block's states come before all others', as in NEURON: it sets what ions have, or
  /// takes in their currents, which the next step begins afresh.
  bool prepares_ions(std::size_t b) const;
  /// Where a variable of a mechanism or an ion lies; null for a voltage.
  double* address_of(const PointerAddress& source) const;
  std::size_t bytes() const;
  bool has_pointers() const { return !addresses_.empty(); }

  /// Begins a step for the ions at some places: no current yet, reversal potentials of the
  /// concentrations.
  void begin_step(std::size_t begin, std::size_t end);
  void clear_currents(std::size_t begin, std::size_t end);
  /// The group's voltages now lie there.
  void follow(LaneArray& v);

 private:
  /// Places side by side whose reversal potential follows an ion's concentrations.
  struct Following {
    std::size_t ion = 0;
    std::size_t begin = 0;  ///< row·lanes + lane
    LaneArray factor_mV;    ///< RT/(zF)
  };

  void find_following();
  void find_shared(const MechanismBlock& block, std::vector<double*>& shared);
  void find_pointers(MechanismBlock& block, std::vector<double* const*>& pointers);

  GroupLayout& group_;
  std::vector<Following> following_;
  std::vector<std::vector<double*>> shared_;           ///< [block][coupling] InstanceBlock::shared
  std::vector<std::vector<double* const*>> pointers_;  ///< [block][coupling]
  std::deque<std::vector<double*>> addresses_;         ///< behind the pointers
  std::vector<std::pair<double**, std::size_t>> voltage_pointers_;  ///< those that follow v
};

}  // namespace hillock::simulator::cpu
