// Which ions change during a run on a range of cells, and where their reversal potential follows.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/instances.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/step/integrators.hpp"

namespace hillock::simulator {

using mechanisms::Coupling;
using mechanisms::SharedQuantity;

namespace {

std::string name_of(const std::string& ion, SharedQuantity quantity) {
  switch (quantity) {
    case SharedQuantity::current:
      return "i" + ion;
    case SharedQuantity::reversal:
      return "e" + ion;
    case SharedQuantity::inside:
      return ion + "i";
    default:
      return ion + "o";
  }
}

class IonBuilder {
 public:
  IonBuilder(const models::Network& network, RangePlan& plan) : network_(network), plan_(plan) {
    for (std::size_t b = 0; b < plan.block_count(); ++b)
      for (std::size_t c = 0; c < plan.cell_count(); ++c)
        if (!plan.nodes_of(b, c).empty()) {
          blocks_.push_back(b);
          break;
        }
  }

  void add_all() {
    for (const std::string& ion : changing_ions()) {
      IonPlan plan;
      plan.ion = ion;
      plan.has_reversal = has_reversal(ion);
      plan.kept_by = is_pointed_at(ion) ? IonPlan::KeptBy::all
                     : is_retaken(ion)  ? IonPlan::KeptBy::coupled
                                        : IonPlan::KeptBy::stirring;
      if (plan.has_reversal) find_nernst(plan);
      plan_.ions.push_back(std::move(plan));
    }
  }

 private:
  /// Calls body(block, coupling) for every coupling to an ion of every block that has instances.
  template <class Body>
  void for_each_coupling(const Body& body) const {
    for (const std::size_t b : blocks_) {
      const mechanisms::MechanismInfo& info = *plan_.mechanism(b).info;
      for (int k = 0; k < info.coupling_count; ++k)
        if (*info.couplings[k].ion) body(b, info.couplings[k]);
    }
  }

  /// Those of which a concentration or the reversal potential is written, or the current read, by a
  /// mechanism or maybe by a POINTER; and those whose current is no sum of what mechanisms record.
  std::set<std::string> changing_ions() const {
    std::set<std::string> ions;
    for_each_coupling([&](std::size_t, const Coupling& coupling) {
      if (coupling.stirs_ion() || is_retaken(coupling.ion) || is_pointed_at(coupling.ion))
        ions.insert(coupling.ion);
    });
    return ions;
  }

  bool is_pointed_at(const std::string& ion) const {
    return std::ranges::any_of(network_.pointer_targets, [&](const auto& target) {
      std::string of;
      SharedQuantity quantity;
      return split_ion_variable(target.text, of, quantity) && of == ion;
    });
  }

  /// Where steps are extrapolated, a recorded current of an ion is that of the step's middle, a
  /// mechanism's own that of its beginning.
  bool is_retaken(const std::string& ion) const {
    if (!step::extrapolates(network_.run.integrator)) return false;
    return std::any_of(
        network_.recordings.begin(), network_.recordings.end(), [&](const auto& recording) {
          std::string of;
          SharedQuantity quantity;
          return recording.variable &&
                 recording.variable->kind == models::RecordedVariable::Kind::ion_variable &&
                 split_ion_variable(recording.variable->variable, of, quantity) && of == ion &&
                 quantity == SharedQuantity::current;
        });
  }

  /// A reversal potential may be missing (`reversal: ghk`); asking for it is an error then.
  bool has_reversal(const std::string& ion) const {
    bool is_named = false;
    for_each_coupling([&](std::size_t, const Coupling& coupling) {
      is_named = is_named || (coupling.ion == ion && coupling.quantity == SharedQuantity::reversal);
    });
    const auto settings = plan_.kinds.front()->ions.find(ion);
    return is_named || settings == plan_.kinds.front()->ions.end() ||
           std::none_of(settings->second.begin(), settings->second.end(), [](const auto& here) {
             return here.reversal == models::IonSetting::Reversal::ghk;
           });
  }

  /// Where the concentrations change and the reversal potential follows.
  void find_nernst(IonPlan& ion) const {
    for (const SharedQuantity quantity : {SharedQuantity::inside, SharedQuantity::outside}) {
      std::vector<std::size_t> writers;
      for_each_coupling([&](std::size_t b, const Coupling& coupling) {
        if (coupling.ion == ion.ion && coupling.quantity == quantity && coupling.writes)
          writers.push_back(b);
      });
      if (writers.empty()) continue;
      for (std::size_t c = 0; c < plan_.cell_count(); ++c) find_nernst(ion, quantity, writers, c);
    }
    std::sort(ion.nernst.begin(), ion.nernst.end());
    ion.nernst.erase(std::unique(ion.nernst.begin(), ion.nernst.end()), ion.nernst.end());
  }

  void find_nernst(IonPlan& ion, SharedQuantity quantity, const std::vector<std::size_t>& writers,
                   std::size_t c) const {
    constexpr std::size_t nobody = ~std::size_t{0};
    const CellKind& kind = *plan_.kinds[c];
    std::vector<std::size_t> writer(kind.cell->node_count(), nobody);
    for (const std::size_t b : writers)
      for (const std::int32_t n : plan_.nodes_of(b, c)) {
        std::size_t& here = writer[static_cast<std::size_t>(n)];
        if (here != nobody) refuse(here, b, ion.ion, quantity, NodeId(n), c);
        here = b;
      }
    for (std::size_t n = 0; n < writer.size(); ++n) {
      const NodeId node(static_cast<std::int32_t>(n));
      if (writer[n] != nobody && kind.follows_concentrations(ion.ion, node))
        ion.nernst.push_back({static_cast<std::uint32_t>(c), node,
                              kind.nernst_factor_mV(ion.ion, plan_.population->thermal_mV)});
    }
  }

  [[noreturn]] void refuse(std::size_t one, std::size_t other, const std::string& ion,
                           SharedQuantity quantity, NodeId node, std::size_t cell) const {
    const CellKind& kind = *plan_.kinds[cell];
    const std::string& name = plan_.mechanism(other).signature.name;
    Place place;
    for (const auto& region : kind.model->regions)
      for (const auto& use : region.mechanisms)
        if (use.name == name) place = use.place;
    reject(place, fmt::format("{} and {} both set {} at {} of {}",
                              plan_.mechanism(one).signature.name, name, name_of(ion, quantity),
                              kind.cell->describe(node), plan_.identity(cell).name()));
  }

  const models::Network& network_;
  RangePlan& plan_;
  std::vector<std::size_t> blocks_;  ///< those with instances
};

}  // namespace

void add_ions(const models::Network& network, RangePlan& plan) {
  IonBuilder(network, plan).add_all();
}

}  // namespace hillock::simulator
