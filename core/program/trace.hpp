#pragma once
// Which thread is at what and when, kept while somebody wants to know.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hillock {

/// A name of what threads do: "integrate exc". Stays as long as the program. Null: nobody asks.
using Work = const std::string*;
/// The same for the same text. Takes a lock.
Work work_named(std::string_view text);

/// What the calling thread is called in traces that begin later; "main" before.
void name_this_thread(std::string name);

/// At most one at a time. While it lives, threads keep what they do in it.
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  /// In nanoseconds since the trace began.
  struct Span {
    Work work = nullptr;
    std::int64_t begin_ns = 0, end_ns = 0;
  };
  /// One thread's, in the order of their ends. What follows on the same work within a microsecond
  /// is one span with it.
  struct Thread {
    std::string name;
    std::vector<Span> spans;
  };

  /// Of all threads it keeps the first most_spans spans. Throws std::logic_error where there is
  /// another one.
  explicit Trace(std::size_t most_spans);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// What has ended so far, of threads by their order of appearance.
  std::vector<Thread> threads() const;
  static bool is_on() { return now_.load(std::memory_order_relaxed) != nullptr; }
  /// Whether there were more spans than are kept.
  bool is_full() const { return left_.load(std::memory_order_relaxed) < 0; }

 private:
  friend class TracedWork;
  struct Own;

  void add(Work work, Clock::time_point begin, Clock::time_point end);

  static inline std::atomic<std::uint64_t> made_ = 0;

  const std::uint64_t number_ = ++made_;  ///< of this process's; another one may lie here later
  const Clock::time_point begin_ = Clock::now();
  std::atomic<std::int64_t> left_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Own>> all_;  ///< [thread]

  static inline std::atomic<Trace*> now_ = nullptr;
};

/// From its making to its end the calling thread does this.
class TracedWork {
 public:
  explicit TracedWork(Work work)
      : trace_(work ? Trace::now_.load(std::memory_order_acquire) : nullptr), work_(work) {
    if (trace_) begin_ = Trace::Clock::now();
  }
  /// For what is not done often: takes a lock where there is a trace.
  explicit TracedWork(std::string_view name)
      : TracedWork(Trace::is_on() ? work_named(name) : nullptr) {}
  ~TracedWork() {
    if (trace_) trace_->add(work_, begin_, Trace::Clock::now());
  }
  TracedWork(const TracedWork&) = delete;
  TracedWork& operator=(const TracedWork&) = delete;

 private:
  Trace* trace_;
  Work work_;
  Trace::Clock::time_point begin_;
};

}  // namespace hillock
