#pragma once
// Gathers of small blocks among ranks of one machine, in memory that all of them see. On 16
// ranks MPI's own takes some 25 us more, where an epoch of 40,000 point neurons takes 150.

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "network/ranks.hpp"

namespace hillock::network {

/// A rank writes its block and then how many blocks it has written; who waits looks at the numbers.
/// Two blocks are kept by turns: who writes the next but one has seen all others write the next,
/// which they do when they have read this one.
class SharedGather {
 public:
  static constexpr std::size_t most_bytes = 64 << 10;

  /// ranks: those of this machine, all there are. Collective.
  explicit SharedGather(MPI_Comm ranks) {
    MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN);  // a machine may have no shared memory
    void* own = nullptr;
    int is_there = MPI_Win_allocate_shared(sizeof(Place), 1, MPI_INFO_NULL, ranks, &own,
                                           &window_) == MPI_SUCCESS;
    MPI_Allreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MIN, ranks);
    if (!is_there) return;
    MPI_Comm_rank(ranks, &number_);
    int count = 0;
    MPI_Comm_size(ranks, &count);
    new (own) Place;
    for (int rank = 0; rank < count; ++rank) {
      MPI_Aint bytes = 0;
      int unit = 0;
      void* place = nullptr;
      MPI_Win_shared_query(window_, rank, &bytes, &unit, &place);
      places_.push_back(static_cast<Place*>(place));
    }
    MPI_Barrier(ranks);  // until all places are made
  }

  /// Whether a block of so many bytes of each rank goes this way.
  bool takes(std::size_t bytes) const { return !places_.empty() && bytes <= most_bytes; }

  void begin(BytesView own, std::span<std::byte> all) {
    all_ = all;
    Place& place = *places_[static_cast<std::size_t>(number_)];
    std::ranges::copy(own, place.blocks[++round_ % 2]);
    place.written.store(round_, std::memory_order_release);
  }
  /// Whether all have come; then what they gave is where begin() was told.
  bool is_over() {
    const auto has_come = [&](const Place* place) {
      return place->written.load(std::memory_order_acquire) >= round_;
    };
    if (!std::ranges::all_of(places_, has_come)) return false;
    const std::size_t bytes = all_.size() / places_.size();
    for (std::size_t rank = 0; rank < places_.size(); ++rank)
      std::memcpy(all_.data() + rank * bytes, places_[rank]->blocks[round_ % 2], bytes);
    return true;
  }

  /// Collective.
  void free() {
    if (!places_.empty()) MPI_Win_free(&window_);
  }

 private:
  struct alignas(128) Place {
    std::atomic<std::uint64_t> written{0};
    alignas(128) std::byte blocks[2][most_bytes];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Place*> places_;  ///< [rank]; none where there is no shared memory
  int number_ = 0;
  std::uint64_t round_ = 0;
  std::span<std::byte> all_;
};

}  // namespace hillock::network
