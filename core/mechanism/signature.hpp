#pragma once
// What the rest of Hillock may know about a mechanism: names, dimensions, defaults, limits.
// `io` checks models against signatures; how a mechanism computes is the evaluator's business.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.hpp"

namespace hillock {

enum class MechanismKind {
  density,        ///< spread over membrane: currents in mA/cm2, conductances in S/cm2
  point_process,  ///< at one location: currents in nA, conductances in uS
};

enum class VariableRole {
  parameter,  ///< set by the user, constant in a run
  state,      ///< integrated in time
  assigned,   ///< computed from the others
  shared,     ///< supplied by the location: a property of an ion there, such as ena, or the area
  hidden,     ///< what the evaluator keeps for itself: neither set, shown nor recorded
};

struct MechanismVariable {
  std::string name;
  Unit unit;
  std::string unit_text;
  VariableRole role = VariableRole::parameter;
  double default_value = 0;  ///< in `unit`
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimum_excluded = false;
  bool is_pointer = false;  ///< POINTER: the model names a variable at the same location
  bool is_held = false;     ///< steps read what was made of it as the run began

  bool operator==(const MechanismVariable&) const = default;
};

/// The RANGE variable of a point process that has the voltage on the other side of a gap junction,
/// mV: set from outside at the beginning of every step, as NEURON's parallel transfer does. To the
/// mechanism it is a state.
inline constexpr const char* peer_voltage_name = "vgap";

/// How a mechanism takes part in an ion: hh reads ena and writes ina.
struct IonUse {
  std::string ion;
  bool reads_reversal = false;
  bool reads_inside = false;
  bool reads_outside = false;
  bool writes_current = false;
  bool writes_reversal = false;
  bool writes_inside = false;
  bool writes_outside = false;
  bool reads_current = false;
  double valence = 0;  ///< 0: the usual one of that ion

  bool operator==(const IonUse&) const = default;
};

/// What NET_RECEIVE takes behind the weight: each connection has its own.
struct EventArgument {
  std::string name;
  Unit unit;
  std::string unit_text;

  bool operator==(const EventArgument&) const = default;
};

/// A mechanism's outside. Variables stand in the order of the evaluator's struct.
struct MechanismSignature {
  std::string name;
  std::string description;
  MechanismKind kind = MechanismKind::density;
  std::vector<MechanismVariable> variables;
  std::vector<IonUse> ions;
  bool receives_events = false;
  bool is_artificial = false;    ///< a cell by itself, without a membrane (ARTIFICIAL_CELL)
  bool is_point_neuron = false;  ///< an artificial cell that advances every step
  std::string injected;       ///< of a point neuron: its variable of injected current, empty: none
  bool is_electrode = false;  ///< a positive current depolarises (NEURON's ELECTRODE_CURRENT)
  Unit weight_unit;           ///< of the first NET_RECEIVE argument, when it receives events
  std::string weight_unit_text;
  std::vector<EventArgument> arguments;  ///< of NET_RECEIVE, behind the weight

  /// Whether weights are jumps of a conductance, which inhibits by its reversal potential, not by
  /// its sign. Of a point neuron the sign says which of its conductances jumps.
  bool refuses_negative_weights() const {
    return !is_point_neuron && weight_unit.dimension == units::uS.dimension;
  }

  bool operator==(const MechanismSignature&) const = default;
  const MechanismVariable* find(const std::string& variable) const {
    for (const auto& candidate : variables)
      if (candidate.name == variable && candidate.role != VariableRole::hidden) return &candidate;
    return nullptr;
  }
  /// Whether it is one side of a gap junction.
  bool reads_peer() const {
    const MechanismVariable* const peer = find(peer_voltage_name);
    return kind == MechanismKind::point_process && !is_artificial && peer &&
           peer->role == VariableRole::state;
  }
};

/// What it is, in a word: "density", "synapse".
inline const char* kind_text(const MechanismSignature& signature) {
  if (signature.kind == MechanismKind::density) return "density";
  if (signature.is_artificial) return "artificial";
  return signature.is_electrode ? "electrode" : signature.receives_events ? "synapse" : "point";
}

inline const char* role_text(const MechanismVariable& variable) {
  constexpr const char* roles[] = {"parameter", "state", "assigned", "place", "hidden"};
  return variable.is_pointer ? "pointer" : roles[static_cast<int>(variable.role)];
}

/// All signatures a model may use, by mechanism name.
using Signatures = std::map<std::string, MechanismSignature>;

}  // namespace hillock
