#pragma once
// What a program is busy with, told by the thread that works and read by one that watches it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace hillock::simulator {

/// One phase after the other: "connecting exc to inh", 3 of 8 million. Thread-safe.
class Activity {
 public:
  using Clock = std::chrono::steady_clock;

  struct Look {
    std::string what;
    std::uint64_t done = 0;
    std::uint64_t total = 0;   ///< 0: not known
    Clock::time_point since;   ///< when the phase began
    std::uint64_t number = 0;  ///< of the phase, counted from 1; 0: none has begun
  };

  void begin(std::string what, std::uint64_t total = 0) {
    const std::lock_guard lock(mutex_);
    phase_.what = std::move(what);
    phase_.total = total;
    phase_.since = Clock::now();
    ++phase_.number;
    done_.store(0, std::memory_order_relaxed);
  }
  void add(std::uint64_t more) { done_.fetch_add(more, std::memory_order_relaxed); }
  void reach(std::uint64_t done) { done_.store(done, std::memory_order_relaxed); }

  Look look() const {
    const std::lock_guard lock(mutex_);
    Look now = phase_;
    now.done = done_.load(std::memory_order_relaxed);
    return now;
  }

 private:
  mutable std::mutex mutex_;
  Look phase_;
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace hillock::simulator
