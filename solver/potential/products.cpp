#include "solver/potential/products.hpp"

namespace hillock::solver {

inline namespace baseline {
void add_potentials_of(const CellCurrents& cell);
}
namespace avx2 {
void add_potentials_of(const CellCurrents& cell);
}
namespace avx512 {
void add_potentials_of(const CellCurrents& cell);
}

AddPotentials* add_potentials(Isa isa) {
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) return avx2::add_potentials_of;
  if (isa == Isa::avx512) return avx512::add_potentials_of;
#else
  (void)isa;
#endif
  return baseline::add_potentials_of;
}

}  // namespace hillock::solver
