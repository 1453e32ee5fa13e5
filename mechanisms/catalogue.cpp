#include "mechanisms/catalogue.hpp"

#include "mechanisms/builtin/exp2syn.hpp"
#include "mechanisms/builtin/expsyn.hpp"
#include "mechanisms/builtin/hh.hpp"
#include "mechanisms/builtin/hh_traub.hpp"
#include "mechanisms/builtin/iclamp.hpp"
#include "mechanisms/builtin/pas.hpp"
#include "mechanisms/builtin/seclamp.hpp"

namespace hillock::mechanisms {

namespace {

VariableRole role_of(const MechanismInfo& info, int variable) {
  if (variable < info.parameters) return VariableRole::parameter;
  if (variable < info.first_assigned()) return VariableRole::ion;
  if (variable < info.first_state()) return VariableRole::assigned;
  return VariableRole::state;
}

MechanismSignature signature_of(const MechanismInfo& info) {
  MechanismSignature signature;
  signature.name = info.name;
  signature.description = info.description;
  signature.kind = info.is_point_process ? MechanismKind::point_process : MechanismKind::density;
  signature.receives_events = info.receives_events;
  signature.is_electrode = info.is_electrode;
  signature.weight_unit_text = info.weight_unit;
  signature.weight_unit = unit_of(info.weight_unit);
  for (int c = 0; c < info.count(); ++c) {
    const VariableInfo& from = info.variables[c];
    MechanismVariable to;
    to.name = from.name;
    to.unit_text = from.unit;
    to.unit = unit_of(from.unit);
    to.role = role_of(info, c);
    to.default_value = from.default_value;
    if (from.minimum > -unlimited) to.minimum = from.minimum;
    if (from.maximum < unlimited) to.maximum = from.maximum;
    signature.variables.push_back(to);
  }
  for (const IonInfo& use : info.ion_uses) {
    if (!use.ion) break;
    signature.ions.push_back({use.ion, use.reads_reversal, false, false, use.writes_current});
  }
  return signature;
}

template <class E>
Mechanism make() {
  return {signature_of(E::info), cpu_kernels<E, 1>(), cpu_kernels<E, 4>(), cpu_kernels<E, 8>()};
}

}  // namespace

const CpuKernels& Mechanism::kernels(int lanes) const {
  return lanes == 1 ? scalar : lanes == 4 ? pack4 : pack8;
}

int Mechanism::column(const std::string& variable) const {
  for (std::size_t c = 0; c < signature.variables.size(); ++c)
    if (signature.variables[c].name == variable) return static_cast<int>(c);
  return -1;
}

const std::vector<Mechanism>& catalogue() {
  static const std::vector<Mechanism> all{make<Hh>(),     make<HhTraub>(), make<Pas>(),
                                          make<Expsyn>(), make<Exp2syn>(), make<Iclamp>(),
                                          make<Seclamp>()};
  return all;
}

const Mechanism* find_mechanism(const std::string& name) {
  for (const auto& mechanism : catalogue())
    if (mechanism.signature.name == name) return &mechanism;
  return nullptr;
}

Signatures signatures() {
  Signatures all;
  for (const auto& mechanism : catalogue())
    all.emplace(mechanism.signature.name, mechanism.signature);
  return all;
}

}  // namespace hillock::mechanisms
