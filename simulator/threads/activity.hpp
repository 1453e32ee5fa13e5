#pragma once
// What a program is busy with, told by the thread that works and read by one that watches it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::simulator {

/// What was cancelled ends with this.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

/// One phase after the other: "connecting exc to inh", 3 of 8 million. Thread-safe. Who tells of
/// what it does throws Cancelled when it was.
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
    throw_if_cancelled();
    const std::lock_guard lock(mutex_);
    phase_.what = std::move(what);
    phase_.total = total;
    phase_.since = Clock::now();
    ++phase_.number;
    done_.store(0, std::memory_order_relaxed);
  }
  void add(std::uint64_t more) {
    throw_if_cancelled();
    done_.fetch_add(more, std::memory_order_relaxed);
  }
  void reach(std::uint64_t done) {
    throw_if_cancelled();
    done_.store(done, std::memory_order_relaxed);
  }
  /// Whoever works is to stop.
  void cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }

  Look look() const {
    const std::lock_guard lock(mutex_);
    Look now = phase_;
    now.done = done_.load(std::memory_order_relaxed);
    return now;
  }

 private:
  void throw_if_cancelled() const {
    if (is_cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
  }

  mutable std::mutex mutex_;
  Look phase_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace hillock::simulator
