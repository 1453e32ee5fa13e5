#include "core/expressions/block_kernels.hpp"

namespace hillock {

inline namespace baseline {  // as in core/random/philox.hpp
const BlockKernels& block_table();
}
namespace avx2 {
const BlockKernels& block_table();
}
namespace avx512 {
const BlockKernels& block_table();
}

const BlockKernels& block_kernels(Isa isa) {
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) return avx2::block_table();
  if (isa == Isa::avx512) return avx512::block_table();
#else
  (void)isa;
#endif
  return baseline::block_table();
}

}  // namespace hillock
