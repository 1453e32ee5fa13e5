#include "mechanisms/draws/isa/loops.hpp"

namespace hillock::mechanisms {

const StepDrawLoops& step_draw_loops_baseline() {
  return loops_here;
}

}  // namespace hillock::mechanisms
