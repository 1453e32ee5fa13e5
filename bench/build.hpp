#pragma once
// What this build of hillock-bench holds. The tables ask with `if constexpr`, so that a build
// without CUDA needs no stand-ins.

namespace hillock::bench {

#ifdef HILLOCK_BENCH_CUDA
inline constexpr bool with_cuda = true;
#else
inline constexpr bool with_cuda = false;
#endif
#ifdef HILLOCK_BENCH_CUSPARSE
inline constexpr bool with_cusparse = true;
#else
inline constexpr bool with_cusparse = false;
#endif

}  // namespace hillock::bench
