// Reversal potentials for the instruction set HILLOCK_ISA. Included once by each of the files
// beside it, and by nothing else.

#include "core/simd/pack.hpp"
#include "simulator/backends/cpu/cells/reversals.hpp"
#include "simulator/step/nernst.hpp"

namespace hillock::simulator::cpu::inline HILLOCK_ISA {

void set_reversals(const Reversals& of) {
  using V = PackOf<register_bytes / 8>::type;
  const auto set = [&]<class N>(std::size_t i) {
    store<N>(of.reversal_mV + i,
             step::nernst_mV<N>(load<N>(of.factor_mV + i), load<N>(of.inside_mM + i),
                                load<N>(of.outside_mM + i)));
  };
  std::size_t i = 0;
  for (; i + lanes_of<V> <= of.count; i += lanes_of<V>) set.template operator()<V>(i);
  for (; i < of.count; ++i) set.template operator()<double>(i);
}

}  // namespace hillock::simulator::cpu::inline HILLOCK_ISA
