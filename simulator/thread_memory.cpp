#include "simulator/thread_memory.hpp"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace hillock::simulator {

#if defined(__GLIBC__)

namespace {

constexpr int largest_piece = 4 << 20;  // larger ones come from the system and go back to it

}  // namespace

void keep_thread_memory() {
  mallopt(M_MMAP_THRESHOLD, largest_piece);
  mallopt(M_TRIM_THRESHOLD, 2 * largest_piece);
}

void share_thread_memory() {
  mallopt(M_ARENA_MAX, 1);
}

/// A piece that is free again lies at the end of the thread's memory, from which the next ones are
/// cut. Nothing of it is touched.
void take_thread_memory() {
  void* volatile piece = std::malloc(largest_piece - 4096);
  std::free(piece);
}

#else

void keep_thread_memory() {}
void share_thread_memory() {}
void take_thread_memory() {}

#endif

}  // namespace hillock::simulator
