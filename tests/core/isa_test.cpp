#include "core/simd/isa.hpp"

#include <gtest/gtest.h>

namespace hillock {

namespace avx512 {
bool is_compiled();
}

namespace {

TEST(Isa, IsThereWhereTheMachineAndTheBuildHaveIt) {
  EXPECT_TRUE(is_available(Isa::baseline));
  EXPECT_TRUE(is_available(active_isa()));
#if defined(HILLOCK_X86_64)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  EXPECT_EQ(is_available(Isa::avx2), has_avx2);
  if (!avx512::is_compiled() || !__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512cd")) {
    EXPECT_FALSE(is_available(Isa::avx512));
  }
#endif
}

}  // namespace
}  // namespace hillock
