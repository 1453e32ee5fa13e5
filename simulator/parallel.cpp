#include "simulator/parallel.hpp"

#include <omp.h>

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace hillock::simulator {

namespace {

/// The OpenMP library ends the program when it cannot start a thread. So whether that many can live
/// at once is tried before it is asked, for the first time or for more than before.
/// Throws std::system_error.
void try_threads(int threads) {
  static std::atomic<int> tried = 1;
  if (threads <= tried) return;
  std::atomic<bool> over = false;
  const auto wait = [&over] { over.wait(false); };
  const auto end = [&over] {
    over = true;
    over.notify_all();
  };
  std::vector<std::jthread> started;
  try {
    for (int t = 1; t < threads; ++t) started.emplace_back(wait);
  } catch (...) {
    end();
    throw;
  }
  end();
  tried = threads;
}

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  try_threads(threads);
  std::exception_ptr first;
  std::size_t first_index = count;
  const auto n = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    try {
      body(static_cast<std::size_t>(i));
    } catch (...) {
#pragma omp critical(hillock_parallel_for)
      if (static_cast<std::size_t>(i) < first_index) {
        first_index = static_cast<std::size_t>(i);
        first = std::current_exception();
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

int available_threads() {
  return omp_get_num_procs();
}

}  // namespace hillock::simulator
