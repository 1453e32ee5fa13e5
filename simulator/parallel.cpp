#include "simulator/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
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

/// What went wrong first, by the number of the piece.
class FirstFailure {
 public:
  /// Whether a piece need not be done any more.
  bool is_before(std::size_t i) const { return index_.load(std::memory_order_relaxed) < i; }
  void keep(std::size_t i, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (i >= index_) return;
    index_ = i;
    failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> index_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure_;
};

void attempt(std::size_t i, const std::function<void(std::size_t)>& body, FirstFailure& failure) {
  if (failure.is_before(i)) return;
  try {
    body(i);
  } catch (...) {
    failure.keep(i, std::current_exception());
  }
}

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  try_threads(threads);
  FirstFailure failure;
  const auto n = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) attempt(static_cast<std::size_t>(i), body, failure);
  failure.rethrow();
}

Crew::Crew(std::size_t pieces, int threads)
    : threads_(static_cast<int>(
          std::clamp<std::size_t>(pieces, 1, static_cast<std::size_t>(std::max(threads, 1))))),
      shares_(static_cast<std::size_t>(threads_)) {
  for (std::size_t t = 0; t < shares_.size(); ++t) {
    shares_[t].begin = pieces * t / shares_.size();
    shares_[t].end = pieces * (t + 1) / shares_.size();
  }
}

void Crew::work(const std::function<void(std::size_t)>& body) {
  try_threads(threads_);
  FirstFailure failure;
  for (Share& share : shares_) share.next.store(share.begin, std::memory_order_relaxed);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
    const auto own = static_cast<std::size_t>(omp_get_thread_num());
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      Share& share = shares_[(own + k) % shares_.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t i = share.next.fetch_add(1, std::memory_order_relaxed);
        if (i < share.end) attempt(i, body, failure);
      }
    }
  }
  failure.rethrow();
}

int available_threads() {
  return omp_get_num_procs();
}

}  // namespace hillock::simulator
