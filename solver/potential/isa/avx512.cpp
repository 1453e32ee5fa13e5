#if defined(HILLOCK_X86_64)
#include "solver/potential/isa/product_loops.hpp"
#endif
