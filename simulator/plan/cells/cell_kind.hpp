#pragma once
// A discretised cell with its membrane: which mechanism, ion and initial voltage is where.
// Values stay as the model has them; they are evaluated for each cell when groups are built.

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expressions/expression.hpp"
#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {

/// What mechanisms at a branch's end take for the area there, as in NEURON.
inline constexpr double end_node_area_um2 = 100;

/// What the model says of a mechanism's variables. Only parameters are ever set.
class SetValues {
 public:
  explicit SetValues(std::size_t variables) : of_(variables) {}

  /// A variable's value at the i-th of the nodes; null where the default holds.
  const models::Value* operator()(std::size_t variable, std::size_t i) const {
    const Column& column = of_[variable];
    return column.empty() ? nullptr : column[column.size() == 1 ? 0 : i];
  }
  /// Whether all nodes have the same value, or the default.
  bool is_one(std::size_t variable) const { return of_[variable].size() < 2; }
  bool are_ones() const {
    return std::ranges::all_of(of_, [](const Column& column) { return column.size() < 2; });
  }
  /// Whether the default holds everywhere.
  bool is_default(std::size_t variable) const {
    return of_[variable].empty() || (is_one(variable) && !of_[variable][0]);
  }
  void set_all(std::size_t variable, const models::Value& value) { of_[variable] = {&value}; }
  /// [i] at each of the nodes.
  void set(std::size_t variable, std::vector<const models::Value*> values) {
    of_[variable] = std::move(values);
  }
  /// At some of `count` nodes; the others keep what they have.
  void set_some(std::size_t variable, const models::Value& value, const std::vector<int>& at,
                std::size_t count) {
    Column& column = of_[variable];
    if (column.size() < count) column.assign(count, column.empty() ? nullptr : column.front());
    for (const int i : at) column[static_cast<std::size_t>(i)] = &value;
  }
  std::size_t size() const { return of_.size(); }
  std::size_t bytes() const;

 private:
  using Column = std::vector<const models::Value*>;
  std::vector<Column> of_;  ///< [variable][i]; or one for all, or none: the default
};

/// A density mechanism on some compartments of a cell.
struct DensityPlacement {
  const mechanisms::Mechanism* mechanism = nullptr;
  std::vector<int> nodes;                   ///< rising
  std::shared_ptr<const SetValues> values;  ///< i: of nodes[i]; several cells may share them
};

/// What a region's settings say of one ion at one node.
struct IonAtNode {
  const models::Value* inside_mM = nullptr;
  const models::Value* outside_mM = nullptr;
  const models::Value* reversal_mV = nullptr;
  models::IonSetting::Reversal reversal = models::IonSetting::Reversal::fixed;
  const models::IonSetting* setting = nullptr;  ///< the last one that holds here
};

/// One cell's identity while values are evaluated for it.
struct CellIdentity {
  CellId id;
  std::uint64_t index = 0;
  std::uint64_t population_size = 0;
  double r = 0.5;  ///< its one uniform draw
  std::uint64_t seed = 0;
  std::string_view population;  ///< its name, which the model keeps

  /// "exc[3]", for messages.
  std::string name() const;
  /// For which cm and Ra are evaluated.
  solver::CutFor cut_for() const;
};

struct CellKind {
  const models::CableCell* model = nullptr;
  std::shared_ptr<const solver::Template> cell;
  std::vector<DensityPlacement> densities;
  std::map<std::string, std::vector<IonAtNode>> ions;  ///< [ion][node], where a region sets one
  std::map<std::string, double> valences;              ///< of ions that mechanisms declare
  /// [ion][node] whether a density mechanism there reads or sets a concentration.
  std::map<std::string, std::vector<bool>> uses_concentration;
  /// [node], null: the run's, at_rest(): the voltage of rest; empty: the run's everywhere.
  std::vector<const models::Value*> v_init_mV;
  /// [node] zero-area nodes on which the model puts or records something; empty: none.
  std::vector<bool> ends_in_use;

  /// An ion's reversal potential, inner or outer concentration at a node; 0 for its current.
  /// Throws InvalidModel where the model gives it no such value.
  double ion_value(const std::string& ion, mechanisms::SharedQuantity quantity, NodeId node,
                   const CellIdentity& cell, double thermal_mV) const;
  /// What a mechanism finds at a node before the run. Throws as ion_value().
  double shared_value(const mechanisms::Coupling& coupling, NodeId node, const CellIdentity& cell,
                      double thermal_mV) const;
  /// Whether shared_value() is one number at all nodes, for every cell of the kind, because nobody
  /// says anything of the ion.
  bool has_ion_default(const mechanisms::Coupling& coupling) const;
  /// Whether the ion's reversal potential follows its concentrations where those change: where the
  /// model says so or, as in NEURON, says nothing.
  bool follows_concentrations(const std::string& ion, NodeId node) const;
  /// RT/(zF), mV; thermal_mV: RT/F.
  double nernst_factor_mV(const std::string& ion, double thermal_mV) const;
  /// Of all arrays but what several kinds may share.
  std::size_t bytes() const;
};

/// Discretises `morphology` and lays the cell's regions over it.
/// Throws InvalidModel when a mechanism is unknown or reads an ion that has no reversal potential.
CellKind make_cell_kind(const models::CableCell& model, const models::Morphology& morphology,
                        const mechanisms::Registry& mechanisms, const solver::CutFor& of = {});

/// The same for another cell, whose sizes, cm and Ra differ from those of one that is made already:
/// membrane is laid over it again only where it is cut in another way, or its branches have not the
/// lengths with which nodes lie alike.
CellKind make_variant(const CellKind& made, const models::Morphology& morphology,
                      const mechanisms::Registry& mechanisms, const solver::CutFor& of,
                      solver::Lengths alike_with);

/// The kind of a random tree's cell that compose() makes from the cell of `path`, on which all is
/// where it is on the path.
CellKind compose_kind(const CellKind& path, std::shared_ptr<const solver::Template> cell);

/// The mechanism a model names. Throws InvalidModel.
const mechanisms::Mechanism& mechanism_of(const models::MechanismUse& use,
                                          const mechanisms::Registry& mechanisms);

/// A value at a node of a cell. `what` names the parameter: it keys the draws of distributions.
/// Throws InvalidModel when the value is outside its bounds.
double evaluate_at(const models::Value& value, const solver::Template& cell, NodeId node,
                   const CellIdentity& identity, std::initializer_list<std::string_view> what);

/// Stands in CellKind::v_init_mV for the voltage of rest.
const models::Value* at_rest();

/// True when `variable` is named like an ion's: ina, ena, nai, nao. Splits off the ion's name.
bool split_ion_variable(const std::string& variable, std::string& ion,
                        mechanisms::SharedQuantity& quantity);

}  // namespace hillock::simulator
