#if defined(HILLOCK_X86_64)
#include "core/isa/block_table.hpp"
#endif
