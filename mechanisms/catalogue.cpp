#include "mechanisms/catalogue.hpp"

#include <stdexcept>

#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/emitted/all.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

// One table for each instruction set, in the order of mechanisms/emitted/all.hpp.
inline namespace baseline {
const KernelSet* kernel_sets();
const KernelSet* mixed_kernel_sets();
}  // namespace baseline
namespace avx2 {
const KernelSet* kernel_sets();
const KernelSet* mixed_kernel_sets();
}  // namespace avx2
namespace avx512 {
/// Null where the build leaves them out.
const KernelSet* kernel_sets();
const KernelSet* mixed_kernel_sets();
}  // namespace avx512

namespace {

/// The mechanism at an index of the list.
Mechanism make(const MechanismInfo& info, std::size_t index) {
  Mechanism mechanism;
  mechanism.signature = signature_of(info);
  mechanism.info = &info;
  const auto has = [&](Isa isa, const KernelSet* of_doubles, const KernelSet* mixed) {
    if (!of_doubles) return;
    mechanism.kernel_sets[static_cast<int>(isa)] = of_doubles + index;
    mechanism.mixed_sets[static_cast<int>(isa)] = mixed + index;
  };
  has(Isa::baseline, baseline::kernel_sets(), baseline::mixed_kernel_sets());
#if defined(HILLOCK_X86_64)
  has(Isa::avx2, avx2::kernel_sets(), avx2::mixed_kernel_sets());
  has(Isa::avx512, avx512::kernel_sets(), avx512::mixed_kernel_sets());
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

const CpuKernels& Mechanism::kernels(int lanes, Isa isa, Arithmetic arithmetic) const {
  const auto& sets = arithmetic == Arithmetic::mixed ? mixed_sets : kernel_sets;
  const KernelSet* const set = sets[static_cast<int>(isa)];
  if (!set || set->of(lanes).lanes == 0)
    throw std::logic_error(signature.name + " has no such loops yet");
  return set->of(lanes);
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
