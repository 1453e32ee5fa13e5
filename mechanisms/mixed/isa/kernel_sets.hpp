// The loops of all built-in mechanisms with floats, for the instruction set HILLOCK_ISA. Included
// once by each of the files beside it, and by nothing else.

#include "mechanisms/emitted/all.hpp"

#include "mechanisms/cpu_kernels.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace {

template <class... E>
const KernelSet* sets_of(Evaluators<E...>) {
  static constexpr KernelSet sets[] = {mixed_kernel_set<E, 1, 4, 8>()...};
  return sets;
}

}  // namespace

const KernelSet* mixed_kernel_sets() {
  return sets_of(BuiltinEvaluators{});
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
