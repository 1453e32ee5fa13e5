#include "mechanisms/draws/step_draw_loops.hpp"

namespace hillock::mechanisms {

const StepDrawLoops& step_draw_loops(Isa isa) {
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) return step_draw_loops_avx2();
  if (isa == Isa::avx512) return step_draw_loops_avx512();
#else
  (void)isa;
#endif
  return step_draw_loops_baseline();
}

}  // namespace hillock::mechanisms
