// The sweeps for the instruction set HILLOCK_ISA. Included once by each of the files beside it, and
// by nothing else.

#include "solver/lanes/sweep_loops.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

const SweepKernels* sweep_tables() {
  static constexpr SweepKernels tables[] = {sweep_kernels_of<PackOf<1>::type>(),
                                            sweep_kernels_of<PackOf<4>::type>(),
                                            sweep_kernels_of<PackOf<8>::type>()};
  return tables;
}

}  // namespace hillock::solver::inline HILLOCK_ISA
