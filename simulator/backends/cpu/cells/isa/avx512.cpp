#if defined(HILLOCK_X86_64)
#include "simulator/backends/cpu/cells/isa/loops.hpp"
#endif
