#include "solver/lanes/sweep.hpp"

namespace hillock::solver {

namespace baseline {
const SweepKernels* sweep_tables();
}
namespace avx2 {
const SweepKernels* sweep_tables();
}
namespace avx512 {
const SweepKernels* sweep_tables();
}

const SweepKernels& sweep_kernels(int lanes, Isa isa) {
  const SweepKernels* tables = baseline::sweep_tables();
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) tables = avx2::sweep_tables();
  if (isa == Isa::avx512) tables = avx512::sweep_tables();
#else
  (void)isa;
#endif
  return tables[lanes == 1 ? 0 : lanes == 4 ? 1 : 2];
}

}  // namespace hillock::solver
