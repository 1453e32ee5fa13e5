#pragma once
// A thread that works while the one that gives it work goes on.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace hillock::simulator {

class SideThread {
 public:
  /// begin: what the thread does first.
  explicit SideThread(std::function<void()> begin = [] {});
  /// What was given is done before.
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  /// Waits until what was given before is done. Throws what that threw.
  void give(std::function<void()> work);
  /// The same without new work.
  void finish();
  /// Whether all that was given is done, now or before so much time has passed.
  bool is_done_within(std::chrono::milliseconds time);

 private:
  void serve(const std::function<void()>& begin);
  void wait(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  ///< until it is done
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// The beginning of one that has the name in a trace, and may use all cores.
std::function<void()> on_any_core(std::string name);

}  // namespace hillock::simulator
