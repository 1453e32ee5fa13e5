#if defined(HILLOCK_X86_64)
#include "mechanisms/draws/isa/loops.hpp"

namespace hillock::mechanisms {

const StepDrawLoops& step_draw_loops_avx512() {
  return loops_here;
}

}  // namespace hillock::mechanisms
#endif
