#if defined(HILLOCK_X86_64)
#include "core/expressions/isa/block_table.hpp"

namespace hillock::inline avx512 {

bool is_compiled() {
#if defined(HILLOCK_LEFT_OUT)
  return false;
#else
  return true;
#endif
}

}  // namespace hillock::inline avx512
#endif
