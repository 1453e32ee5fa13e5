#pragma once
// What a thread does while it looks for something to happen.

namespace hillock::simulator {

inline void pause_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace hillock::simulator
