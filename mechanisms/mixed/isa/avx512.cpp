#if defined(HILLOCK_LEFT_OUT)
#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms::avx512 {

const KernelSet* mixed_kernel_sets() {
  return nullptr;
}

}  // namespace hillock::mechanisms::avx512
#elif defined(HILLOCK_X86_64)
#include "mechanisms/mixed/isa/kernel_sets.hpp"
#endif
