#pragma once
// What a thread does while it looks for something to happen.

#include <thread>

namespace hillock::simulator {

inline void pause_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Waits until done(), which takes microseconds as a rule; longer where others want the cores.
template <class Done>
void wait_a_moment_for(const Done& done) {
  constexpr int looks = 1000;
  for (int k = 0; !done(); ++k) {
    if (k < looks)
      pause_a_moment();
    else
      std::this_thread::yield();
  }
}

}  // namespace hillock::simulator
