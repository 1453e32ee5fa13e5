#if defined(HILLOCK_X86_64)
#include "solver/lanes/isa/tables.hpp"
#endif
