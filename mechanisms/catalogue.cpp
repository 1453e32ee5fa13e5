#include "mechanisms/catalogue.hpp"

#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/emitted/all.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

// One table for each instruction set, in the order of mechanisms/emitted/all.hpp.
inline namespace baseline {
const KernelSet* kernel_sets();
}
namespace avx2 {
const KernelSet* kernel_sets();
}
namespace avx512 {
/// Null where the build leaves them out.
const KernelSet* kernel_sets();
}  // namespace avx512

namespace {

/// The mechanism at an index of the list.
Mechanism make(const MechanismInfo& info, std::size_t index) {
  Mechanism mechanism;
  mechanism.signature = signature_of(info);
  mechanism.info = &info;
  mechanism.kernel_sets[static_cast<int>(Isa::baseline)] = baseline::kernel_sets() + index;
#if defined(HILLOCK_X86_64)
  mechanism.kernel_sets[static_cast<int>(Isa::avx2)] = avx2::kernel_sets() + index;
  if (const KernelSet* sets = avx512::kernel_sets())
    mechanism.kernel_sets[static_cast<int>(Isa::avx512)] = sets + index;
#endif
  mechanism.source = emitted_evaluators()[index].text;
  mechanism.evaluator = builtin_evaluator_names[index];
  return mechanism;
}

template <class... E>
std::vector<Mechanism> make_all(Evaluators<E...>) {
  std::vector<Mechanism> all;
  (all.push_back(make(E::info, all.size())), ...);
  return all;
}

}  // namespace

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
  if (signature.variables[column].role != VariableRole::shared) return nullptr;
  for (int k = 0; k < info->coupling_count; ++k)
    if (info->couplings[k].column == static_cast<int>(column)) return &info->couplings[k];
  return nullptr;
}

const std::vector<Mechanism>& catalogue() {
  static const std::vector<Mechanism> all = make_all(BuiltinEvaluators{});
  return all;
}

}  // namespace hillock::mechanisms
