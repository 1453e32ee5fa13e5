#if defined(HILLOCK_X86_64)
#include "mechanisms/isa/kernel_sets.hpp"
#endif
