// The command's operator new: what is refused says how much it was, and who asked for it. Where a
// sanitizer has its own, it stays.

#include <cstdlib>
#include <new>

#include "core/program/asker.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t bytes) {
  if (void* const piece = std::malloc(bytes == 0 ? 1 : bytes)) return piece;
  throw hillock::Refused(bytes);
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* piece = nullptr;
  if (::posix_memalign(&piece, static_cast<std::size_t>(alignment), bytes == 0 ? 1 : bytes) == 0)
    return piece;
  throw hillock::Refused(bytes);
}

void operator delete(void* piece) noexcept {
  std::free(piece);
}
void operator delete(void* piece, std::size_t) noexcept {
  std::free(piece);
}
void operator delete(void* piece, std::align_val_t) noexcept {
  std::free(piece);
}
void operator delete(void* piece, std::size_t, std::align_val_t) noexcept {
  std::free(piece);
}

#endif
