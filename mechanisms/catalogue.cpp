#include "mechanisms/catalogue.hpp"

#include "mechanisms/emitted/all.hpp"
#include "mechanisms/traits.hpp"

namespace hillock::mechanisms {

// One table for each instruction set, in the order of mechanisms/emitted/all.hpp.
namespace baseline {
const KernelSet* kernel_sets();
}
namespace avx2 {
const KernelSet* kernel_sets();
}
namespace avx512 {
const KernelSet* kernel_sets();
}

namespace {

VariableRole role_of(const MechanismInfo& info, int variable) {
  if (variable < info.parameters) return VariableRole::parameter;
  if (variable < info.first_assigned()) return VariableRole::place;
  if (variable < info.first_state() - info.hidden) return VariableRole::assigned;
  if (variable < info.first_state()) return VariableRole::hidden;
  return VariableRole::state;
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
    case PlaceQuantity::current:  // one that is read as well has a coupling of its own for that
      (coupling.writes ? use.writes_current : use.reads_current) = true;
      break;
    case PlaceQuantity::reversal:
      note(use.reads_reversal, use.writes_reversal);
      break;
    case PlaceQuantity::inside:
      note(use.reads_inside, use.writes_inside);
      break;
    default:
      note(use.reads_outside, use.writes_outside);
      break;
  }
}

/// The mechanism at a place of the list.
template <class E>
Mechanism make(std::size_t index) {
  Mechanism mechanism{signature_of(E::info), &E::info, {}, is_linear<E>, is_constant<E>};
  mechanism.kernel_sets[static_cast<int>(Isa::baseline)] = baseline::kernel_sets() + index;
#if defined(HILLOCK_X86_64)
  mechanism.kernel_sets[static_cast<int>(Isa::avx2)] = avx2::kernel_sets() + index;
  mechanism.kernel_sets[static_cast<int>(Isa::avx512)] = avx512::kernel_sets() + index;
#endif
  return mechanism;
}

template <class... E>
std::vector<Mechanism> make_all(Evaluators<E...>) {
  std::vector<Mechanism> all;
  (all.push_back(make<E>(all.size())), ...);
  return all;
}

}  // namespace

MechanismSignature signature_of(const MechanismInfo& info) {
  MechanismSignature signature;
  signature.name = info.name;
  signature.description = info.description;
  signature.kind = info.is_point_process ? MechanismKind::point_process : MechanismKind::density;
  signature.receives_events = info.receives_events;
  signature.is_artificial = info.is_artificial;
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
  for (int k = 0; k < info.coupling_count; ++k) {
    const Coupling& coupling = info.couplings[k];
    add_ion_use(coupling, signature.ions);
    if (coupling.quantity != PlaceQuantity::pointer) continue;
    MechanismVariable& pointer = signature.variables[static_cast<std::size_t>(coupling.column)];
    pointer.is_pointer = true;
    pointer.default_value = -1;  // of no target
  }
  return signature;
}

const CpuKernels& Mechanism::kernels(int lanes, Isa isa) const {
  const KernelSet& set = *kernel_sets[static_cast<int>(isa)];
  return lanes == 1 ? set.scalar : lanes == 4 ? set.pack4 : set.pack8;
}

int Mechanism::column(const std::string& variable) const {
  for (std::size_t c = 0; c < signature.variables.size(); ++c)
    if (signature.variables[c].name == variable) return static_cast<int>(c);
  return -1;
}

const Coupling* Mechanism::supplier(std::size_t column) const {
  if (signature.variables[column].role != VariableRole::place) return nullptr;
  for (int k = 0; k < info->coupling_count; ++k)
    if (info->couplings[k].column == static_cast<int>(column)) return &info->couplings[k];
  return nullptr;
}

const std::vector<Mechanism>& catalogue() {
  static const std::vector<Mechanism> all = make_all(BuiltinEvaluators{});
  return all;
}

}  // namespace hillock::mechanisms
