#include "simulator/backends/cpu/cells/reversals.hpp"

namespace hillock::simulator::cpu {

namespace baseline {
void set_reversals(const Reversals& of);
}
namespace avx2 {
void set_reversals(const Reversals& of);
}
namespace avx512 {
void set_reversals(const Reversals& of);
}

void set_reversals(const Reversals& of, Isa isa) {
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx512) return avx512::set_reversals(of);
  if (isa == Isa::avx2) return avx2::set_reversals(of);
#else
  (void)isa;
#endif
  baseline::set_reversals(of);
}

}  // namespace hillock::simulator::cpu
