#if defined(HILLOCK_X86_64)
#include "core/expressions/isa/block_table.hpp"
#endif
