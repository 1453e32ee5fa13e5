// Which ions change during a run, and what their variables are at its beginning.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "core/errors.hpp"
#include "simulator/network_draft.hpp"

namespace hillock::simulator {

using mechanisms::Coupling;
using mechanisms::PlaceQuantity;

LaneArray& IonBlock::values(PlaceQuantity quantity) {
  switch (quantity) {
    case PlaceQuantity::current:
      return current_mA_per_cm2;
    case PlaceQuantity::reversal:
      return reversal_mV;
    case PlaceQuantity::inside:
      return inside_mM;
    case PlaceQuantity::outside:
      return outside_mM;
    default:
      throw std::logic_error("not a variable of an ion");
  }
}

namespace {

constexpr std::array ion_quantities = {PlaceQuantity::current, PlaceQuantity::reversal,
                                       PlaceQuantity::inside, PlaceQuantity::outside};

std::string name_of(const std::string& ion, PlaceQuantity quantity) {
  switch (quantity) {
    case PlaceQuantity::current:
      return "i" + ion;
    case PlaceQuantity::reversal:
      return "e" + ion;
    case PlaceQuantity::inside:
      return ion + "i";
    default:
      return ion + "o";
  }
}

class IonBuilder {
 public:
  IonBuilder(GroupDraft& draft, const models::Network& network)
      : draft_(draft),
        plan_(draft.plan),
        lanes_(static_cast<std::size_t>(draft.plan.lanes)),
        rows_(draft.plan.tree.row_count()),
        network_(network),
        celsius_(network.run.temperature_degC) {}

  void add_all() {
    for (const std::string& ion : changing_ions()) {
      IonBlock block;
      block.ion = ion;
      for (const PlaceQuantity quantity : ion_quantities)
        if (is_used(ion, quantity)) block.values(quantity) = values_of(ion, quantity);
      find_nernst(block);
      plan_.ions.push_back(std::move(block));
    }
    for (MechanismBlock& block : plan_.blocks) add_area_factors(block);
  }

 private:
  /// Calls body(block, coupling) for every coupling to an ion of every block that has instances.
  template <class Body>
  void for_each_coupling(const Body& body) const {
    for (const MechanismBlock& block : plan_.blocks) {
      if (block.count == 0) continue;
      const mechanisms::MechanismInfo& info = *block.mechanism->info;
      for (int k = 0; k < info.coupling_count; ++k)
        if (*info.couplings[k].ion) body(block, info.couplings[k]);
    }
  }

  /// Those of which a concentration or the reversal potential is written, or the current read, by a
  /// mechanism or maybe by a POINTER; and those whose current is no sum of what mechanisms record.
  std::set<std::string> changing_ions() const {
    std::set<std::string> ions;
    for_each_coupling([&](const MechanismBlock&, const Coupling& coupling) {
      if (coupling.stirs_ion() || is_retaken(coupling.ion)) ions.insert(coupling.ion);
      for (const auto& target : network_.pointer_targets) {
        std::string ion;
        PlaceQuantity quantity;
        if (split_ion_variable(target.text, ion, quantity) && ion == coupling.ion) ions.insert(ion);
      }
    });
    return ions;
  }

  /// crank_nicolson: a recorded current of an ion is that of the step's middle, a mechanism's own
  /// that of its beginning.
  bool is_retaken(const std::string& ion) const {
    if (network_.run.integrator != models::Integrator::crank_nicolson) return false;
    return std::any_of(
        network_.recordings.begin(), network_.recordings.end(), [&](const auto& recording) {
          std::string of;
          PlaceQuantity quantity;
          return recording.variable &&
                 recording.variable->kind == models::RecordedVariable::Kind::ion_variable &&
                 split_ion_variable(recording.variable->variable, of, quantity) && of == ion &&
                 quantity == PlaceQuantity::current;
        });
  }

  /// A reversal potential may be missing (`reversal: ghk`); asking for it is an error then.
  bool is_used(const std::string& ion, PlaceQuantity quantity) const {
    if (quantity != PlaceQuantity::reversal) return true;
    bool is_named = false;
    for_each_coupling([&](const MechanismBlock&, const Coupling& coupling) {
      is_named = is_named || (coupling.ion == ion && coupling.quantity == quantity);
    });
    const auto settings = draft_.kinds.front()->ions.find(ion);
    return is_named || settings == draft_.kinds.front()->ions.end() ||
           std::none_of(settings->second.begin(), settings->second.end(), [](const auto& here) {
             return here.reversal == models::IonSetting::Reversal::ghk;
           });
  }

  LaneArray values_of(const std::string& ion, PlaceQuantity quantity) const {
    LaneArray values((rows_ + 1) * lanes_, 0);
    for (std::size_t l = 0; l < lanes_; ++l) {
      const std::size_t cell = cell_of_lane(draft_, l);
      const CellKind& kind = *draft_.kinds[cell];
      // Rows that the lane lacks take what its root has, and so does the row of fillers.
      double root = 0;
      for (std::size_t row = 0; row <= rows_; ++row) {
        const int node = row < rows_ ? plan_.tree.node_of(row, l) : -1;
        double& value = values[row * lanes_ + l];
        value = node < 0
                    ? root
                    : kind.ion_value(ion, quantity, NodeId(node), draft_.cells[cell], celsius_);
        if (row == 0) root = value;
      }
    }
    return values;
  }

  /// Where the concentrations change and the reversal potential follows.
  void find_nernst(IonBlock& block) const {
    if (block.reversal_mV.empty()) return;
    for (const PlaceQuantity quantity : {PlaceQuantity::inside, PlaceQuantity::outside}) {
      std::vector<const MechanismBlock*> writers((rows_ + 1) * lanes_, nullptr);
      for_each_coupling([&](const MechanismBlock& mechanism, const Coupling& coupling) {
        if (coupling.ion == block.ion && coupling.quantity == quantity && coupling.writes)
          note_writer(mechanism, block.ion, quantity, writers);
      });
      for (std::size_t i = 0; i < rows_ * lanes_; ++i)
        if (writers[i]) add_nernst(block, i);
    }
    std::sort(block.nernst.begin(), block.nernst.end());
    block.nernst.erase(std::unique(block.nernst.begin(), block.nernst.end()), block.nernst.end());
  }

  void add_nernst(IonBlock& block, std::size_t index) const {
    const std::size_t cell = cell_of_lane(draft_, index % lanes_);
    const NodeId node(plan_.tree.node_of(index / lanes_, index % lanes_));
    const CellKind& kind = *draft_.kinds[cell];
    if (node.value >= 0 && kind.follows_concentrations(block.ion, node))
      block.nernst.emplace_back(index, kind.nernst_factor_mV(block.ion, celsius_));
  }

  void note_writer(const MechanismBlock& block, const std::string& ion, PlaceQuantity quantity,
                   std::vector<const MechanismBlock*>& writers) const {
    const bool is_point = block.mechanism->info->is_point_process;
    for (std::size_t i = 0; i < block.count; ++i)
      for (std::size_t l = 0; l < lanes_; ++l) {
        if (!is_point && block.own_areas && block.area_factors[i * lanes_ + l] == 0) continue;
        const auto row = static_cast<std::size_t>(block.nodes[is_point ? i * lanes_ + l : i]);
        const MechanismBlock*& writer = writers[row * lanes_ + l];
        if (writer && row < rows_) refuse(*writer, block, ion, quantity, row, l);
        writer = &block;
      }
  }

  [[noreturn]] void refuse(const MechanismBlock& one, const MechanismBlock& other,
                           const std::string& ion, PlaceQuantity quantity, std::size_t row,
                           std::size_t lane) const {
    const std::size_t cell = cell_of_lane(draft_, lane);
    const CellKind& kind = *draft_.kinds[cell];
    const std::string& name = other.mechanism->signature.name;
    Place place;
    for (const auto& region : kind.model->regions)
      for (const auto& use : region.mechanisms)
        if (use.name == name) place = use.place;
    reject(place, fmt::format("{} and {} both set {} at {} of {}[{}]",
                              one.mechanism->signature.name, name, name_of(ion, quantity),
                              kind.cell->describe(NodeId(plan_.tree.node_of(row, lane))),
                              plan_.population_name, draft_.cells[cell].index));
  }

  /// Point processes' currents, nA, join an ion's, mA/cm2.
  void add_area_factors(MechanismBlock& block) const {
    if (!block.mechanism->info->is_point_process || plan_.ions.empty()) return;
    block.area_factors.assign(block.count * lanes_, 1);
    for (std::size_t i = 0; i < block.area_factors.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.nodes[i]);
      const int node = row < rows_ ? plan_.tree.node_of(row, i % lanes_) : -1;
      if (node < 0) continue;
      const double area = draft_.kinds[cell_of_lane(draft_, i % lanes_)]
                              ->cell->area_um2[static_cast<std::size_t>(node)];
      block.area_factors[i] = 100 / (area > 0 ? area : end_node_area_um2);
    }
  }

  GroupDraft& draft_;
  GroupPlan& plan_;
  std::size_t lanes_, rows_;
  const models::Network& network_;
  double celsius_;
};

}  // namespace

void add_ions(GroupDraft& draft, const models::Network& network) {
  IonBuilder(draft, network).add_all();
}

}  // namespace hillock::simulator
