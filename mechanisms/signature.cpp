#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

namespace {

VariableRole role_of(const MechanismInfo& info, int variable) {
  if (variable < info.parameters) return VariableRole::parameter;
  if (variable < info.first_assigned()) return VariableRole::shared;
  if (variable < info.first_state() - info.hidden) return VariableRole::assigned;
  if (variable < info.first_state()) return VariableRole::hidden;
  return variable < info.count() - info.hidden_states ? VariableRole::state : VariableRole::hidden;
}

void add_ion_use(const Coupling& coupling, std::vector<IonUse>& ions) {
  if (*coupling.ion == 0) return;
  if (ions.empty() || ions.back().ion != coupling.ion) {
    ions.emplace_back();
    ions.back().ion = coupling.ion;
    ions.back().valence = coupling.valence;
  }
  IonUse& use = ions.back();
  const auto note = [&](bool& reads, bool& writes) {
    reads = coupling.reads;
    writes = coupling.writes;
  };
  switch (coupling.quantity) {
    case SharedQuantity::current:  // one that is read as well has a coupling of its own for that
      (coupling.writes ? use.writes_current : use.reads_current) = true;
      break;
    case SharedQuantity::reversal:
      note(use.reads_reversal, use.writes_reversal);
      break;
    case SharedQuantity::inside:
      note(use.reads_inside, use.writes_inside);
      break;
    default:
      note(use.reads_outside, use.writes_outside);
      break;
  }
}

}  // namespace

MechanismSignature signature_of(const MechanismInfo& info) {
  MechanismSignature signature;
  signature.name = info.name;
  signature.description = info.description;
  signature.kind = info.is_point_process ? MechanismKind::point_process : MechanismKind::density;
  signature.receives_events = info.receives_events;
  signature.is_artificial = info.is_artificial;
  signature.is_point_neuron = info.is_point_neuron;
  if (info.injected >= 0) signature.injected = info.variables[info.injected].name;
  signature.is_electrode = info.is_electrode;
  signature.weight_unit_text = info.weight_unit;
  signature.weight_unit = unit_of(info.weight_unit);
  for (int k = 0; info.further_arguments && k + 1 < info.arguments; ++k) {
    const VariableInfo& from = info.further_arguments[k];
    signature.arguments.push_back({from.name, unit_of(from.unit), from.unit});
  }
  for (int c = 0; c < info.count(); ++c) {
    const VariableInfo& from = info.variables[c];
    MechanismVariable to;
    to.name = from.name;
    to.unit_text = from.unit;
    to.unit = unit_of(from.unit);
    to.role = role_of(info, c);
    to.default_value = from.default_value;
    to.is_held = from.is_held;
    if (from.minimum > -unlimited) to.minimum = from.minimum;
    if (from.maximum < unlimited) to.maximum = from.maximum;
    signature.variables.push_back(to);
  }
  for (int k = 0; k < info.coupling_count; ++k) {
    const Coupling& coupling = info.couplings[k];
    add_ion_use(coupling, signature.ions);
    if (coupling.quantity != SharedQuantity::pointer) continue;
    MechanismVariable& pointer = signature.variables[static_cast<std::size_t>(coupling.column)];
    pointer.is_pointer = true;
    pointer.default_value = -1;  // of no target
  }
  return signature;
}

}  // namespace hillock::mechanisms
