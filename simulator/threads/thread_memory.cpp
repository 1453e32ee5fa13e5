#include "simulator/threads/thread_memory.hpp"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace hillock::simulator {

#if defined(__GLIBC__)

void keep_thread_memory() {
  mallopt(M_MMAP_THRESHOLD, large_piece_bytes);
  mallopt(M_TRIM_THRESHOLD, 2 * large_piece_bytes);
}

void share_thread_memory() {
  mallopt(M_ARENA_MAX, 1);
}

void return_free_memory() {
  malloc_trim(0);
}

/// A piece that is free again lies at the end of the thread's memory, from which the next ones are
/// cut. Nothing of it is touched.
void take_thread_memory() {
  void* volatile piece = std::malloc(large_piece_bytes - 4096);
  std::free(piece);
}

#else

void keep_thread_memory() {}
void share_thread_memory() {}
void return_free_memory() {}
void take_thread_memory() {}

#endif

}  // namespace hillock::simulator
