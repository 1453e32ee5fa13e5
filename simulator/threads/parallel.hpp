#pragma once
// Work shared by threads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/threads/core_binding.hpp"
#include "simulator/threads/gang.hpp"

namespace hillock::simulator {

/// Calls body(i) for every i below count, on up to that many threads, and waits. What a body throws
/// is thrown here: of several the one of the smallest i. Bodies that have not begun then may be
/// left out, but none before that i. Throws std::system_error when threads cannot be started.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

/// Does the same pieces of work again and again. Each has a thread of its own, whose cache it stays
/// in, and which stays on its core (CoreBinding); a thread that is done takes from the others.
class Crew {
 public:
  /// work: [piece] about how much it is, in any unit. parts: of all pieces, about, where they fall
  /// into such: there may be as many threads. help: those who find no part of a piece left help
  /// with the parts that are under way, so that there may be more threads than parts.
  Crew(std::span<const std::uint64_t> work, int threads, std::size_t parts = 0, bool help = false);

  int threads() const { return threads_; }
  /// Which a piece has for its own.
  std::size_t thread_of(std::size_t piece) const;
  /// As parallel_for().
  void work(const std::function<void(std::size_t)>& body);
  /// The same of pieces that fall into parts: begin(piece) comes before these and tells how many
  /// there are, then comes part(piece, k, thread) for each. Of a piece that has begun other threads
  /// take parts. gang(piece, k): how others may help with that part; null: they may not.
  void work_in_parts(const std::function<std::size_t(std::size_t)>& begin,
                     const std::function<void(std::size_t, std::size_t, std::size_t)>& part,
                     const std::function<Gang*(std::size_t, std::size_t)>& gang = {});

 private:
  /// One thread's pieces, [begin, end).
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t begin = 0;
    std::size_t end = 0;

    /// The next piece that nobody has taken, or `end`.
    std::size_t take();
  };
  /// One piece, and which of its parts is the next; `closed` until it has begun.
  struct alignas(64) Piece {
    static constexpr std::size_t closed = ~std::size_t{0};
    std::atomic<std::size_t> next = closed;
    std::size_t parts = 0;
  };
  /// What one thread leads.
  struct alignas(64) Lead {
    std::atomic<Gang*> gang = nullptr;
  };

  void help(std::size_t own);

  int threads_;
  bool help_;
  std::vector<Share> shares_;
  std::vector<Piece> pieces_;
  std::vector<Lead> leads_;  ///< [thread]
  std::atomic<int> busy_ = 0;
  CoreBinding binding_;
};

/// Threads that this process may keep busy.
int available_threads();

}  // namespace hillock::simulator
