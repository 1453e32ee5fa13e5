#include "simulator/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/program/asker.hpp"
#include "core/program/trace.hpp"
#include "simulator/threads/pause.hpp"
#include "simulator/threads/thread_team.hpp"

namespace hillock::simulator {

namespace {

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

template <class Body>
void attempt(std::size_t i, FirstFailure& failure, const Body& body) {
  if (failure.is_before(i)) return;
  try {
    body();
  } catch (...) {
    failure.keep(i, std::current_exception());
  }
}

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  FirstFailure failure;
  std::atomic<std::size_t> next = 0;
  const Asker* const asker = Asker::now();
  const auto most = static_cast<int>(std::min<std::size_t>(count, std::numeric_limits<int>::max()));
  run_on_team(std::min(threads, most), [&](std::size_t) {
    const Asker same(asker);
    for (std::size_t i = next++; i < count; i = next++) attempt(i, failure, [&] { body(i); });
  });
  failure.rethrow();
}

namespace {

/// A thread without a core of its own would let those wait whom it helps.
std::size_t most_threads(std::size_t parts, bool help) {
  const auto cores = static_cast<std::size_t>(available_threads());
  return std::max<std::size_t>(1, help ? std::max(parts, cores) : parts);
}

}  // namespace

Crew::Crew(std::span<const std::uint64_t> work, int threads, std::size_t parts, bool help)
    : threads_(static_cast<int>(std::min(static_cast<std::size_t>(std::max(threads, 1)),
                                         most_threads(std::max(work.size(), parts), help)))),
      help_(help && threads_ > 1),
      shares_(static_cast<std::size_t>(threads_)),
      pieces_(work.size()),
      leads_(shares_.size()),
      binding_(threads_) {
  // A piece is of the share in which its middle lies, were all work laid in a row.
  const auto all = static_cast<double>(std::accumulate(work.begin(), work.end(), std::uint64_t{0}));
  double before = 0;
  std::size_t piece = 0;
  for (std::size_t t = 0; t < shares_.size(); ++t) {
    const double border = all * static_cast<double>(t + 1) / static_cast<double>(shares_.size());
    shares_[t].begin = piece;
    for (; piece < work.size(); ++piece) {
      const auto size = static_cast<double>(work[piece]);
      if (t + 1 < shares_.size() && before + size / 2 >= border) break;
      before += size;
    }
    shares_[t].end = piece;
  }
}

std::size_t Crew::thread_of(std::size_t piece) const {
  std::size_t t = 0;
  while (shares_[t].end <= piece) ++t;
  return t;
}

void Crew::work(const std::function<void(std::size_t)>& body) {
  FirstFailure failure;
  for (Share& share : shares_) share.next.store(share.begin, std::memory_order_relaxed);
  run_on_team(threads_, [&](std::size_t own) {
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      Share& share = shares_[(own + k) % shares_.size()];
      for (std::size_t i = share.take(); i < share.end; i = share.take())
        attempt(i, failure, [&] { body(i); });
    }
  });
  failure.rethrow();
}

void Crew::work_in_parts(const std::function<std::size_t(std::size_t)>& begin,
                         const std::function<void(std::size_t, std::size_t, std::size_t)>& part,
                         const std::function<Gang*(std::size_t, std::size_t)>& gang) {
  FirstFailure failure;
  busy_.store(threads_, std::memory_order_relaxed);
  // Failures are ordered by piece; in one, its beginning comes before its parts.
  const auto place = [](std::size_t i, std::size_t k) { return (i << 32) + k; };
  for (Share& share : shares_) share.next.store(share.begin, std::memory_order_relaxed);
  for (Piece& piece : pieces_) piece.next.store(Piece::closed, std::memory_order_relaxed);
  run_on_team(threads_, [&](std::size_t own) {
    const auto open = [&](std::size_t i) {
      Piece& piece = pieces_[i];
      piece.parts = 0;
      attempt(place(i, 0), failure, [&] { piece.parts = begin(i); });
      piece.next.store(0, std::memory_order_release);
    };
    const auto do_part = [&](std::size_t i, std::size_t k) {
      Gang* const others = help_ ? gang(i, k) : nullptr;
      if (others) others->open(own);
      leads_[own].gang.store(others, std::memory_order_release);
      attempt(place(i, k + 1), failure, [&] { part(i, k, own); });
      leads_[own].gang.store(nullptr, std::memory_order_relaxed);
      if (others) others->close();
    };
    // Whether nothing is left of it to take.
    const auto do_parts = [&](std::size_t i) {
      Piece& piece = pieces_[i];
      if (piece.next.load(std::memory_order_acquire) == Piece::closed) return false;
      while (piece.next.load(std::memory_order_relaxed) < piece.parts) {
        const std::size_t k = piece.next.fetch_add(1, std::memory_order_relaxed);
        if (k < piece.parts) do_part(i, k);
      }
      return true;
    };
    // All of one's own begin before the first goes on, so that others find something to take; alone
    // what a piece's beginning leaves in the cache is used at once.
    Share& mine = shares_[own];
    for (std::size_t i = mine.take(); i < mine.end; i = mine.take()) {
      open(i);
      if (shares_.size() == 1) do_parts(i);
    }
    for (bool is_over = false; !is_over;) {
      is_over = true;
      for (std::size_t k = 0; k < shares_.size(); ++k) {
        Share& share = shares_[(own + k) % shares_.size()];
        for (std::size_t i = share.take(); i < share.end; i = share.take()) {
          open(i);
          do_parts(i);
        }
        for (std::size_t i = share.begin; i < share.end; ++i) is_over = do_parts(i) && is_over;
      }
      if (!is_over) std::this_thread::yield();  // a piece that another thread begins
    }
    if (help_) help(own);
  });
  failure.rethrow();
}

/// Until all threads are here.
void Crew::help(std::size_t own) {
  static const Work work = work_named("help");
  const TracedWork traced(work);
  busy_.fetch_sub(1, std::memory_order_relaxed);
  const auto over = [&] { return busy_.load(std::memory_order_relaxed) == 0; };
  while (!over()) {
    Gang* gang = nullptr;
    wait_a_moment_for([&] {
      for (std::size_t k = 1; !gang && k < leads_.size(); ++k)
        gang = leads_[(own + k) % leads_.size()].gang.load(std::memory_order_acquire);
      return gang || over();
    });
    if (gang) gang->help(own);
  }
}

std::size_t Crew::Share::take() {
  if (next.load(std::memory_order_relaxed) >= end) return end;
  return std::min(end, next.fetch_add(1, std::memory_order_relaxed));
}

int available_threads() {
  const int cores = cores_of_process();
  return cores > 0 ? cores : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

}  // namespace hillock::simulator
