#include "simulator/backends/taped/records.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace hillock::simulator::taped {

namespace {

/// Pieces that nobody has. The system may take their memory for something else, and where it did
/// not, the next run need not wait until it is given some that is cleared.
class FreePieces {
 public:
  double* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = by_bytes_.find(bytes);
    if (found == by_bytes_.end()) return nullptr;
    double* const memory = found->second;
    by_bytes_.erase(found);
    return memory;
  }
  void give(std::size_t bytes, double* memory) noexcept try {
    ::madvise(memory, bytes, MADV_FREE);
    const std::lock_guard lock(mutex_);
    by_bytes_.emplace(bytes, memory);
  } catch (...) {
    std::free(memory);
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, double*> by_bytes_;
};

constexpr std::size_t small_page = 4096;

FreePieces& free_pieces() {
  static auto* const all = new FreePieces;  // outlives whoever ends a run late
  return *all;
}

}  // namespace

void Records::GiveBack::operator()(double* memory) const {
  free_pieces().give(bytes, memory);
}

Records::Piece Records::new_piece() const {
  const std::size_t left = most_ > count_ ? most_ - count_ : in_a_piece_;
  const bool is_last = left <= in_a_piece_;
  std::size_t bytes = std::min(left, in_a_piece_) * size_ * sizeof(double);
  // A small page at a time the system takes longer to give it than a step takes; but what is left of
  // a last large one, in each of thousands of cells, nobody would use.
  const std::size_t unit = bytes < page || is_last ? small_page : page;
  bytes = (bytes + unit - 1) / unit * unit;
  if (double* const used = free_pieces().take(bytes)) return Piece(used, {bytes});
  Piece made(static_cast<double*>(std::aligned_alloc(bytes < page ? small_page : page, bytes)),
             {bytes});
  if (!made) throw std::bad_alloc();
  if (bytes >= page) ::madvise(made.get(), bytes / page * page, MADV_HUGEPAGE);
  return made;
}

}  // namespace hillock::simulator::taped
