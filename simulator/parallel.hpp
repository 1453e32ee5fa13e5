#pragma once
// Work shared by threads.

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace hillock::simulator {

/// Calls body(i) for every i below count, on up to that many threads, and waits. What a body throws
/// is thrown here: of several the one of the smallest i. Bodies that have not begun then may be
/// left out, but none before that i. Throws std::system_error when threads cannot be started.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

/// Does the same pieces of work again and again. Each has a thread of its own, whose cache it stays
/// in; a thread that is done takes from the others.
class Crew {
 public:
  Crew(std::size_t pieces, int threads);

  /// As parallel_for().
  void work(const std::function<void(std::size_t)>& body);

 private:
  /// One thread's pieces, [begin, end).
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  int threads_;
  std::vector<Share> shares_;
};

/// Threads that this process may keep busy.
int available_threads();

}  // namespace hillock::simulator
