#if defined(HILLOCK_X86_64)
#include "mechanisms/mixed/isa/kernel_sets.hpp"
#endif
